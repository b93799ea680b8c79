import { expect, test } from 'vitest';
import { compareFiles } from './compare';

const file = (path: string, digest: string, executable = false) => ({
  path,
  digest,
  size: 1,
  media_type: 'text/plain',
  executable,
});

test('files are told as added, removed, renamed, changed, or with another mode', () => {
  const before = [
    file('SKILL.md', '1'),
    file('a.md', '2'),
    file('b.md', '3'),
    file('run.sh', '4'),
    file('same', '5'),
  ];
  const after = [
    file('SKILL.md', '9'),
    file('docs/a.md', '2'),
    file('c.md', '7'),
    file('run.sh', '4', true),
    file('same', '5'),
  ];
  expect(compareFiles(before, after).map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'changed SKILL.md',
    'removed b.md',
    'added c.md',
    'renamed docs/a.md',
    'mode run.sh',
  ]);
});
