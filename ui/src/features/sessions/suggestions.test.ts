import { expect, test } from 'vitest';
import { isTyped, suggestionsFor, takesOf } from './suggestions';

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

test('a name that is typed whole is meant, whatever else it is a part of', () => {
  const named = ['checksum', 'sum-up', 'sum'].map((name) => ({ name, description: '' }));
  const offered = suggestionsFor('/use sum', named);
  expect(offered.map(({ label }) => label)).toEqual(['sum', 'sum-up', 'checksum']);
  expect(offered.map((offer) => isTyped(offer, '/use sum'))).toEqual([true, false, false]);
  expect(suggestionsFor('/use sum_up', named).map((offer) => isTyped(offer, '/use sum_up'))).toEqual([true]);
});

test('what a skill takes is told in a line', () => {
  expect(takesOf({ procedure: null })).toContain('instructions');
});
