import { expect, test } from 'vitest';
import { join, offsetOf, readPolicy, split, writePolicy } from './source';

const file = `# what it is
title: Careful coder
policy:
  # the greater comes first
  priority: 100
  forbidden_tools: [ "Bash(rm:*)" ]   # never
tags:
  - security
`;

test('only the policy is cut out, and put back the file is the same', () => {
  const parts = split(file);
  expect(parts.policy.startsWith('policy:\n')).toBe(true);
  expect(parts.policy).toContain('# never');
  expect(parts.after).toBe('tags:\n  - security\n');
  expect(offsetOf(parts)).toBe(2);
  expect(join(parts)).toBe(file);
});

test('a file without a policy gets one at its end', () => {
  const parts = split('title: Notes');
  expect(parts.policy).toBe('');
  expect(join({ ...parts, policy: writePolicy('', ['priority'], 5) })).toBe(
    'title: Notes\npolicy:\n  priority: 5\n',
  );
  expect(join({ ...split(''), policy: 'policy:\n  priority: 5\n' })).toBe('policy:\n  priority: 5\n');
});

test('the form changes one value and leaves comments where they are', () => {
  const text = writePolicy(split(file).policy, ['priority'], 7);
  expect(text).toContain('# the greater comes first');
  expect(text).toContain('# never');
  expect(readPolicy(text)).toEqual({ policy: { priority: 7, forbidden_tools: ['Bash(rm:*)'] } });
});

test('what becomes empty goes with its last value', () => {
  const text = writePolicy('', ['activation', 'always'], true);
  expect(readPolicy(text)).toEqual({ policy: { activation: { always: true } } });
  expect(readPolicy(writePolicy(text, ['activation', 'always'], undefined))).toEqual({ policy: {} });
});

test('what cannot be read is told with its line', () => {
  expect(readPolicy('policy:\n  priority: [1\n')).toMatchObject({ line: 3 });
  expect(readPolicy('title: x\npolicy: {}\n')).toMatchObject({ line: 1 });
});

test('a file in one line is written in several', () => {
  const parts = split('{title: Notes, policy: {priority: 3}}');
  expect(readPolicy(parts.policy)).toEqual({ policy: { priority: 3 } });
});
