import { expect, test } from 'vitest';
import { parseCommand, parseValues, requestOf, writtenAs } from './commands';

test('text without a slash is code, indentation and all', () => {
  expect(parseCommand('for i in range(2):\n    print(i)\n')).toEqual({
    kind: 'run',
    code: 'for i in range(2):\n    print(i)',
  });
  expect(parseCommand('/run 1 + 1')).toEqual({ kind: 'run', code: '1 + 1' });
  expect(parseCommand('/run\nif True:\n    2')).toEqual({ kind: 'run', code: 'if True:\n    2' });
});

test('search without words lists the skills', () => {
  expect(parseCommand('/search compound interest')).toEqual({ kind: 'search', words: 'compound interest' });
  expect([parseCommand('/search').kind, parseCommand('/skills').kind]).toEqual(['list', 'list']);
});

test('values are read as JSON or by name, with the type they look like', () => {
  expect(parseValues('{"a": [1]}')).toEqual({ a: [1] });
  expect(
    parseValues('principal=1000 rate=0.05 name="Ann Lee" on=true city=Basel x=\'1\' all=[1, 2]'),
  ).toEqual({
    principal: 1000,
    rate: 0.05,
    name: 'Ann Lee',
    on: true,
    city: 'Basel',
    x: '1',
    all: [1, 2],
  });
  expect(parseValues('on=True off=False none=None')).toEqual({ on: true, off: false, none: null });
  expect(parseValues('what is this')).toContain('key=value');
  expect(parseValues('{"a": ')).toContain('JSON');
});

test('a skill is used by name', () => {
  expect(parseCommand('/use add_numbers a=1')).toEqual({
    kind: 'use',
    name: 'add_numbers',
    values: { a: 1 },
  });
  expect(parseCommand('/use').kind).toBe('wrong');
});

test('saving takes the code below it, or the last one that ran', () => {
  const saved = parseCommand('/save add_numbers Adds two numbers');
  expect(saved).toEqual({ kind: 'save', name: 'add_numbers', description: 'Adds two numbers', code: '' });
  if (saved.kind === 'save') expect(requestOf(saved, 'a + b').code).toBe('a + b');
  expect(parseCommand('/save x y\nprint(1)')).toMatchObject({ code: 'print(1)' });
});

test('a command that does not exist is said to be none', () => {
  expect(parseCommand('/frobnicate')).toEqual({
    kind: 'wrong',
    message: 'There is no command /frobnicate. Write /help to see what there is.',
  });
});

test('what was kept of a call can be written again', () => {
  expect(writtenAs({ text: '', data: { operation: 'execute', code: '1' } })).toBe('1');
  expect(writtenAs({ text: 'tax', data: { operation: 'search_skills' } })).toBe('/search tax');
  expect(
    writtenAs({ text: '', data: { operation: 'use_skill', skill_name: 'a', skill_parameters: { b: 1 } } }),
  ).toBe('/use a {"b":1}');
});
