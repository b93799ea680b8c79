import { expect, test } from 'vitest';
import { declarationProblems, fieldsOf, type Parameter, readFields, startFields } from './parameters';

const parameters: Parameter[] = [
  { name: 'customer', type: 'string' },
  { name: 'copies', type: 'integer', default: 1 },
  { name: 'rate', type: 'number', required: false },
  { name: 'draft', type: 'boolean', default: false },
  { name: 'lines', type: 'array' },
  { name: 'options', type: 'object', required: false },
];

test('fields begin with the defaults, and give them back', () => {
  expect(startFields(parameters)).toEqual({ copies: '1', draft: false });
  expect(readFields(parameters, { ...startFields(parameters), customer: 'Ada', lines: '[1]' })).toEqual({
    values: { customer: 'Ada', copies: 1, draft: false, lines: [1] },
    problems: {},
  });
});

test('everything that is wrong is told at once, under its name', () => {
  const { problems } = readFields(parameters, { copies: '1.5', rate: 'a', lines: '{}', options: '{' });
  expect(Object.keys(problems)).toEqual(['customer', 'copies', 'rate', 'lines', 'options']);
  expect(problems.customer).toBe('This is needed');
  expect(problems.copies).toBe('A whole number');
  expect(problems.lines).toBe('A list in square brackets');
});

test('a switch that is needed and was not touched is off', () => {
  const asked: Parameter[] = [
    { name: 'notify', type: 'boolean', required: true },
    { name: 'quiet', type: 'boolean', required: false },
  ];
  expect(readFields(asked, {})).toEqual({ values: { notify: false }, problems: {} });
  expect(readFields(asked, { notify: true })).toEqual({ values: { notify: true }, problems: {} });
});

test('a recorded run fills the fields, and what was blanked out is asked for again', () => {
  expect(fieldsOf(parameters, { customer: '[redacted]', copies: 3, options: { a: 1 } })).toEqual({
    copies: '3',
    options: '{\n  "a": 1\n}',
  });
});

test('declarations need names that code can use, each once', () => {
  const named = (...names: string[]) => names.map((name) => ({ name, type: 'string' }));
  expect(declarationProblems(named('a', 'a_2', '_x'))).toEqual([undefined, undefined, undefined]);
  const [digit, , twice] = declarationProblems(named('2a', 'b', 'b'));
  expect(digit).toContain('not beginning with a digit');
  expect(twice).toContain('above');
});
