import { expect, test } from 'vitest';
import type { Schemas } from '@/api/client';
import { bundlesOf, type DroppedFile } from './dropped';
import { runAll } from './pool';
import { between } from './selection';

const skill = (id: string) => ({ id, name: id }) as Schemas['SkillView'];
const shown = ['a', 'b', 'c', 'd'].map(skill);
const names = (skills: Schemas['SkillView'][]) => skills.map(({ id }) => id);

test('a range is the same whichever end was chosen first', () => {
  expect(names(between(shown, 'b', 'd'))).toEqual(['b', 'c', 'd']);
  expect(names(between(shown, 'd', 'b'))).toEqual(['b', 'c', 'd']);
});

test('a range from something that is not shown any more is its end alone', () => {
  expect(names(between(shown, 'x', 'c'))).toEqual(['c']);
  expect(between(shown, 'a', 'x')).toEqual([]);
});

test('a range leaves out what is not loaded yet', () => {
  expect(names(between([shown[0], undefined, shown[2]], 'a', 'c'))).toEqual(['a', 'c']);
});

test('never more than a few run at once, and each failure stays with its item', async () => {
  let running = 0;
  let most = 0;
  const seen: number[] = [];
  const outcome = await runAll(
    [1, 2, 3, 4, 5, 6, 7],
    async (item) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      if (item % 3 === 0) throw new Error(`not ${item}`);
      return item * 10;
    },
    { width: 3, onProgress: (finished) => seen.push(finished) },
  );
  expect(most).toBe(3);
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(outcome.done.map(({ result }) => result).sort()).toEqual([10, 20, 40, 50, 70]);
  expect(outcome.failed.map(({ item }) => item).sort()).toEqual([3, 6]);
});

test('after the signal nothing more is begun', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const outcome = await runAll(
    [1, 2, 3, 4],
    async (item) => {
      begun.push(item);
      if (item === 2) stop.abort();
      return item;
    },
    { width: 1, signal: stop.signal },
  );
  expect(begun).toEqual([1, 2]);
  expect(outcome.done).toHaveLength(2);
});

const file = (path: string): DroppedFile => ({ path, file: new File(['x'], path.split('/').pop() ?? '') });

test('each folder with a SKILL.md is a bundle, and paths are told from there', () => {
  const { bundles, left } = bundlesOf([
    file('team/release/SKILL.md'),
    file('team/release/scripts/tag.py'),
    file('team/release/.git/config'),
    file('team/notes/SKILL.md'),
    file('team/README.md'),
  ]);
  expect(bundles.map(({ folder, files }) => [folder, files.map(({ path }) => path)])).toEqual([
    ['release', ['SKILL.md', 'scripts/tag.py']],
    ['notes', ['SKILL.md']],
  ]);
  expect(left).toEqual(['team/README.md']);
});

test('files that were dropped beside a SKILL.md belong to it, without a folder name', () => {
  const { bundles } = bundlesOf([file('SKILL.md'), file('references/a.md')]);
  expect(bundles).toHaveLength(1);
  expect(bundles[0]?.folder).toBeUndefined();
  expect(bundles[0]?.files.map(({ path }) => path)).toEqual(['SKILL.md', 'references/a.md']);
});
