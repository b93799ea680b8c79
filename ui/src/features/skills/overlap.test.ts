import { expect, test } from 'vitest';
import type { Schemas } from '@/api/client';
import { changedByBoth } from './overlap';

const skill = (description: string, files: Record<string, string>) =>
  ({
    description,
    tags: ['a'],
    files: Object.entries(files).map(([path, digest]) => ({ path, digest })),
  }) as unknown as Schemas['SkillDetailView'];

test('only what both changed is told', () => {
  const base = skill('old', { 'SKILL.md': '1', 'notes.md': '1' });
  const now = skill('new', { 'SKILL.md': '2', 'notes.md': '1', 'more.md': '1' });
  expect(changedByBoth(base, now, { description: 'mine', tags: ['b'], message: 'why' })).toEqual([
    'description',
  ]);
  const files = ['SKILL.md', 'notes.md', 'more.md'].map((path) => ({ path, content: '' }));
  expect(changedByBoth(base, now, { files })).toEqual(['SKILL.md', 'more.md']);
});
