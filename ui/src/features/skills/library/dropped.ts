/** What was dropped or chosen, as bundles: archives go as they are, folders and loose files by where their SKILL.md stands. */

export type DroppedFile = { path: string; file: File };
export type Bundle = { folder?: string; files: DroppedFile[] };
export type Dropped = { archives: File[]; bundles: Bundle[]; left: string[] };

const isArchive = (name: string) => /\.(zip|skill)$/i.test(name);
/** What programs leave behind beside what people wrote. */
const isClutter = (path: string) =>
  /(^|\/)(\.git|node_modules|__pycache__|__MACOSX)\/|(^|\/)(\.DS_Store|Thumbs\.db)$/.test(path);

const rootOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Sorts loose files into bundles; a file belongs to the nearest folder above it that has a SKILL.md. */
export function bundlesOf(files: readonly DroppedFile[]): { bundles: Bundle[]; left: string[] } {
  const wanted = files.filter(({ path }) => !isClutter(path));
  const roots = wanted
    .filter(({ path }) => /(^|\/)SKILL\.md$/i.test(path))
    .map(({ path }) => rootOf(path))
    .sort((one, other) => other.length - one.length);
  const byRoot = new Map<string, DroppedFile[]>();
  const left: string[] = [];
  for (const { path, file } of wanted) {
    const root = roots.find((candidate) => candidate === '' || path.startsWith(`${candidate}/`));
    if (root === undefined) {
      left.push(path);
      continue;
    }
    const inside = root ? path.slice(root.length + 1) : path;
    byRoot.set(root, [...(byRoot.get(root) ?? []), { path: inside, file }]);
  }
  const bundles = [...byRoot].map(([root, inside]) => ({
    folder: root.split('/').pop() || undefined,
    files: inside,
  }));
  return { bundles, left };
}

/** Sorts what was chosen or dropped. */
export function sortDropped(files: readonly DroppedFile[]): Dropped {
  const archives = files.filter(({ path }) => !path.includes('/') && isArchive(path)).map(({ file }) => file);
  const loose = files.filter(({ path }) => path.includes('/') || !isArchive(path));
  return { archives, ...bundlesOf(loose) };
}

/** Reads a drop, folders and all. Must be called while the event is handled: the browser forgets it after. */
export async function readDrop(data: DataTransfer): Promise<DroppedFile[]> {
  const entries = [...data.items]
    .filter((item) => item.kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry?.() ?? null, file: item.getAsFile() }));
  const read = await Promise.all(
    entries.map(({ entry, file }) => {
      if (entry?.isDirectory) return walk(entry as FileSystemDirectoryEntry, entry.name);
      return file ? [{ path: file.name, file }] : [];
    }),
  );
  return read.flat();
}

async function walk(folder: FileSystemDirectoryEntry, at: string): Promise<DroppedFile[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    // A reader gives a part of the folder at a time, and nothing at its end.
    const part = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (part.length === 0) break;
    entries.push(...part);
  }
  const inside = await Promise.all(
    entries.map(async (entry) => {
      const path = `${at}/${entry.name}`;
      if (isClutter(`${path}/`)) return [];
      if (entry.isDirectory) return walk(entry as FileSystemDirectoryEntry, path);
      const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
      return [{ path, file }];
    }),
  );
  return inside.flat();
}

/** A file's bytes, as the API takes them in JSON. */
export async function base64(file: File): Promise<string> {
  const url = await new Promise<string>((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result as string);
    reader.onerror = () => fail(reader.error ?? new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
  return url.slice(url.indexOf(',') + 1);
}
