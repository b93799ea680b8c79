import { expect, test } from 'vitest';
import { inOrder, openAtFirst } from './fileOrder';

const file = (path: string, size = 10) => ({ path, size });
const bundle = [file('assets/logo.png'), file('SKILL.md'), file('scripts/util.py'), file('scripts/main.py')];
const paths = (files: { path: string }[]) => files.map(({ path }) => path);

test('SKILL.md is read first, or the code where the talk was of code', () => {
  expect(paths(inOrder(bundle, null))).toEqual([
    'SKILL.md',
    'assets/logo.png',
    'scripts/main.py',
    'scripts/util.py',
  ]);
  expect(paths(inOrder(bundle, 'scripts/main.py')).slice(0, 2)).toEqual(['scripts/main.py', 'SKILL.md']);
});

test('everything is open where nothing of it was approved before', () => {
  expect(openAtFirst(bundle, { approved_revision: null, shown: { number: 3 } })).toHaveLength(4);
  expect(openAtFirst(bundle, { approved_revision: 3, shown: { number: 3 } })).toHaveLength(4);
  expect(openAtFirst(bundle, { approved_revision: 2, shown: { number: 3 } })).toEqual([]);
});

test('what is large, and what is too many, waits for a click', () => {
  const many = Array.from({ length: 30 }, (_, at) => file(`references/${at}.md`));
  const first = openAtFirst([file('huge.csv', 900_000), ...many], { shown: { number: 1 } });
  expect(first).toHaveLength(12);
  expect(first).not.toContain('huge.csv');
});
