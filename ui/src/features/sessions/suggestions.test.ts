import { expect, test } from 'vitest';
import { suggestionsFor, takesOf } from './suggestions';

const skills = [
  { name: 'compound-interest', description: 'Interest' },
  { name: 'csv-report', description: 'Report' },
];
const values = (text: string) => suggestionsFor(text, skills).map(({ value }) => value);

test('a slash offers commands, and their beginning narrows them', () => {
  expect(values('/s')).toEqual(['/search ', '/save ', '/skills']);
  expect(values('x = 1')).toEqual([]);
});

test('using offers the names of skills in either spelling', () => {
  expect(values('/use ')).toEqual(['/use compound-interest ', '/use csv-report ']);
  expect(values('/use compound_')).toEqual(['/use compound-interest ']);
  expect(values('/use csv-report ')).toEqual([]);
});

test('what a skill takes is told in a line', () => {
  expect(takesOf({ procedure: null })).toContain('instructions');
});
