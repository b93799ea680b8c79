/** The files of a skill while they are worked on. Nothing is sent before all of it is saved as one revision. */
import type { Schemas } from '@/api/client';
import { asLines, textOf, toBase64, withEndingsOf } from './text';

type FileView = Schemas['FileView'];
type FileRequest = Schemas['FileRequest'];

export type Entry = {
  /** Stays while the file is renamed. */
  key: string;
  path: string;
  /** The file as it was at the beginning; null for a new one. */
  from: FileView | null;
  /** What is in it now: text as it is edited, or bytes. Undefined while it is as it was. */
  content?: string | Uint8Array;
  executable: boolean;
};

export type Draft = readonly Entry[];

export type Change = { path: string; kind: 'added' | 'changed' | 'renamed' | 'removed'; before?: string };

/** `keys` are those that files had in a former draft, by path: who is at a file stays there when it is saved. */
export type Keys = ReadonlyMap<string, string>;

export function begin(files: FileView[], keys: Keys = new Map()): Draft {
  const taken = new Set(keys.values());
  return files.map((file) => {
    const free = taken.has(file.path) ? `again:${file.path}` : file.path;
    return {
      key: keys.get(file.path) ?? free,
      path: file.path,
      from: file,
      executable: file.executable,
    };
  });
}

export function keysOf(draft: Draft): Keys {
  return new Map(draft.map(({ path, key }) => [path, key]));
}

/** A draft after `sent` was saved and `files` came of it: what was changed since is still a change. */
export function rebase(
  draft: Draft,
  sent: Draft,
  files: FileView[],
  textIn: (file: FileView) => string | null,
): Draft {
  const at = (path: string) => files.find((file) => file.path === path) ?? null;
  const kept = draft.flatMap((entry): Entry[] => {
    const before = sent.find(({ key }) => key === entry.key);
    const from = at((before ?? entry).path);
    let { content } = entry;
    if (before && content === before.content) content = undefined;
    if (from && typeof content === 'string' && textIn(from) === content) content = undefined;
    // Somebody else removed it, and nothing was written into it here.
    if (!from && content === undefined) return [];
    const executable =
      from && before && entry.executable === before.executable ? from.executable : entry.executable;
    return [{ key: entry.key, path: entry.path, from, content, executable }];
  });
  const known = new Set([...sent, ...draft].map(({ path }) => path));
  const others = begin(
    files.filter(({ path }) => !known.has(path)),
    keysOf(kept),
  );
  return [...kept, ...others];
}

export function isSkillFile(path: string): boolean {
  return path.toLowerCase() === 'skill.md';
}

/** SKILL.md first, then what stands at the root, then folders. */
export function inOrder(draft: Draft): Entry[] {
  const rank = ({ path }: Entry) => (isSkillFile(path) ? 0 : path.includes('/') ? 2 : 1);
  return [...draft].sort((a, b) => rank(a) - rank(b) || a.path.localeCompare(b.path));
}

export function sizeOf({ content, from }: Entry): number {
  if (typeof content === 'string') return new TextEncoder().encode(content).length;
  return content?.length ?? from?.size ?? 0;
}

export function changeOf(entry: Entry): Change | null {
  const { from, path } = entry;
  if (!from) return { path, kind: 'added' };
  if (from.path !== path) return { path, kind: 'renamed', before: from.path };
  if (entry.content !== undefined || entry.executable !== from.executable) return { path, kind: 'changed' };
  return null;
}

export function changesOf(files: FileView[], draft: Draft): Change[] {
  const changes = draft.map(changeOf).filter((change) => change !== null);
  const kept = new Set(draft.map((entry) => entry.from?.path));
  const removed = files.filter((file) => !kept.has(file.path));
  return [...changes, ...removed.map(({ path }): Change => ({ path, kind: 'removed' }))];
}

/** Puts content at a path: into the file that is there, or into a new one. */
export function put(draft: Draft, path: string, content: string | Uint8Array): Draft {
  if (draft.some((entry) => entry.path === path)) {
    return draft.map((entry) => (entry.path === path ? { ...entry, content } : entry));
  }
  const key = `new:${path}:${draft.length}`;
  return [...draft, { key, path, from: null, content, executable: false }];
}

/** Keeps what was typed; the text it had at the beginning is no change. */
export function write(draft: Draft, key: string, text: string, original: string | null): Draft {
  return draft.map((entry) => {
    if (entry.key !== key) return entry;
    return {
      ...entry,
      content: entry.from && original !== null && asLines(original) === text ? undefined : text,
    };
  });
}

export function change(draft: Draft, key: string, to: Partial<Pick<Entry, 'path' | 'executable'>>): Draft {
  return draft.map((entry) => (entry.key === key ? { ...entry, ...to } : entry));
}

export function remove(draft: Draft, key: string): Draft {
  return draft.filter((entry) => entry.key !== key);
}

/** Why a file cannot stand at a path, as far as that is known here; the server looks more closely. */
export function pathProblem(draft: Draft, path: string, but?: string): string | null {
  if (!path) return 'A path is needed';
  if (path.startsWith('/') || path.split('/').some((part) => ['', '.', '..'].includes(part))) {
    return 'Paths are relative to the skill’s folder, without empty, “.” or “..” parts';
  }
  const taken = draft.some((entry) => entry.key !== but && entry.path.toLowerCase() === path.toLowerCase());
  return taken ? 'There is a file at this path already' : null;
}

/** What to send: files that changed and files that are gone. Every other byte stays as it is. */
export async function requestOf(
  files: FileView[],
  draft: Draft,
  bytesOf: (file: FileView) => Promise<Uint8Array>,
): Promise<FileRequest[]> {
  const paths = new Set(draft.map((entry) => entry.path));
  const gone = files.filter((file) => !paths.has(file.path));
  const requests = gone.map(({ path }): FileRequest => ({ path, delete: true }));
  for (const entry of draft) {
    if (changeOf(entry)) requests.push(await fileRequest(entry, bytesOf));
  }
  return requests;
}

export async function fileRequest(
  { path, executable, content, from }: Entry,
  bytesOf: (file: FileView) => Promise<Uint8Array>,
): Promise<FileRequest> {
  if (typeof content === 'string') {
    const original = from ? textOf(await bytesOf(from)) : null;
    return { path, executable, content: original === null ? content : withEndingsOf(original, content) };
  }
  const bytes = content ?? (from ? await bytesOf(from) : new Uint8Array());
  return { path, executable, content_base64: toBase64(bytes) };
}
