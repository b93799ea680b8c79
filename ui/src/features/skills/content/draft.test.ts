import { expect, test } from 'vitest';
import {
  begin,
  change,
  changesOf,
  inOrder,
  keysOf,
  pathProblem,
  put,
  rebase,
  remove,
  requestOf,
  write,
} from './draft';

const file = (path: string) => ({ path, digest: path, size: 1, media_type: 'text/plain', executable: false });
const files = [file('SKILL.md'), file('notes.md'), file('scripts/run.sh')];
const bytesOf = async () => new TextEncoder().encode('a\r\nb\r\n');

test('nothing changed sends nothing', async () => {
  const draft = write(begin(files), 'notes.md', 'a\nb\n', 'a\r\nb\r\n');
  expect(changesOf(files, draft)).toEqual([]);
  expect(await requestOf(files, draft, bytesOf)).toEqual([]);
});

test('one save says all that changed, and nothing else', async () => {
  let draft = begin(files);
  draft = write(draft, 'SKILL.md', 'a\nb!\n', 'a\r\nb\r\n');
  draft = change(draft, 'notes.md', { path: 'references/notes.md' });
  draft = put(draft, 'logo.png', new Uint8Array([1, 2]));
  draft = remove(draft, 'scripts/run.sh');
  expect(changesOf(files, draft).map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'changed SKILL.md',
    'renamed references/notes.md',
    'added logo.png',
    'removed scripts/run.sh',
  ]);
  expect(await requestOf(files, draft, bytesOf)).toEqual([
    { path: 'notes.md', delete: true },
    { path: 'scripts/run.sh', delete: true },
    { path: 'SKILL.md', executable: false, content: 'a\r\nb!\r\n' },
    { path: 'references/notes.md', executable: false, content_base64: btoa('a\r\nb\r\n') },
    { path: 'logo.png', executable: false, content_base64: btoa('\u0001\u0002') },
  ]);
});

test('a file put where one is replaces its content and keeps its mode', () => {
  const draft = put(change(begin(files), 'scripts/run.sh', { executable: true }), 'scripts/run.sh', 'echo');
  expect(draft).toHaveLength(3);
  expect(draft[2]).toMatchObject({ executable: true, content: 'echo' });
});

test('two files cannot stand at one path, whatever the case of its letters', () => {
  expect(pathProblem(begin(files), 'Notes.md')).toMatch(/already/);
  expect(pathProblem(begin(files), 'Notes.md', 'notes.md')).toBeNull();
  expect(pathProblem(begin(files), '../x')).toMatch(/relative/);
});

test('SKILL.md comes first and folders last', () => {
  const paths = inOrder(begin([file('a/b.md'), file('z.md'), file('SKILL.md')])).map(({ path }) => path);
  expect(paths).toEqual(['SKILL.md', 'z.md', 'a/b.md']);
});

test('after a save only what was changed since is a change, and files keep their keys', () => {
  const noText = () => null;
  let sent = write(begin(files), 'SKILL.md', 'one', 'zero');
  sent = put(sent, 'new.md', 'new');
  sent = change(sent, 'notes.md', { path: 'moved.md' });
  const saved = [file('SKILL.md'), file('moved.md'), file('scripts/run.sh'), file('new.md')];
  const quiet = rebase(sent, sent, saved, noText);
  expect(changesOf(saved, quiet)).toEqual([]);
  expect(keysOf(quiet).get('new.md')).toBe(keysOf(sent).get('new.md'));
  expect(begin(saved, keysOf(quiet)).map(({ key }) => key)).toEqual(quiet.map(({ key }) => key));

  const typed = remove(write(sent, 'SKILL.md', 'one two', 'zero'), 'scripts/run.sh');
  const rest = rebase(typed, sent, saved, noText);
  expect(changesOf(saved, rest).map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'changed SKILL.md',
    'removed scripts/run.sh',
  ]);
});

test('after a save on top of another one, what others added shows and what they removed goes', () => {
  const sent = write(begin(files), 'SKILL.md', 'one', 'zero');
  const saved = [file('SKILL.md'), file('scripts/run.sh'), file('theirs.md')];
  const now = rebase(sent, sent, saved, () => null);
  expect(now.map(({ path }) => path)).toEqual(['SKILL.md', 'scripts/run.sh', 'theirs.md']);
  expect(changesOf(saved, now)).toEqual([]);
});
