import { expect, test } from 'vitest';
import { isClutter, pathOf, unwrap } from './dropped';

const file = (path: string) => ({ path, content: new Uint8Array() });

test('a folder that was dropped gives its name and its files', () => {
  expect(unwrap([file('notes/SKILL.md'), file('notes/a/b.md')])).toMatchObject({
    folder: 'notes',
    files: [{ path: 'SKILL.md' }, { path: 'a/b.md' }],
  });
  expect(unwrap([file('SKILL.md'), file('a/b.md')]).folder).toBeUndefined();
});

test('a file says where it stood', () => {
  expect(pathOf(Object.assign(new File([], 'b.md'), { path: '/a/b.md' }))).toBe('a/b.md');
  expect(pathOf(Object.assign(new File([], 'b.md'), { path: './b.md' }))).toBe('b.md');
  expect(pathOf(new File([], 'b.md'))).toBe('b.md');
});

test('what systems leave behind is known', () => {
  expect(['a/.DS_Store', '__MACOSX/x', 'notes.md'].map(isClutter)).toEqual([true, true, false]);
});
