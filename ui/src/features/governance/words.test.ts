import { expect, test } from 'vitest';
import { argumentsInShort } from './words';

test('a line tells the arguments that say something, and the only one without its name', () => {
  expect(argumentsInShort({ command: 'rm -rf build', timeout: null })).toBe('rm -rf build');
  expect(
    argumentsInShort({
      operation: 'execute',
      code: '1 + 1',
      file_names: [],
      skill_parameters: {},
      skill_name: '',
    }),
  ).toBe('operation: execute, code: 1 + 1');
  expect(argumentsInShort({ recursive: false, depth: 0 })).toBe('recursive: false, depth: 0');
  expect(argumentsInShort({})).toBe('');
});
