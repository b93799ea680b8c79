/** Files as they come from the browser: by drop, by choice, or with the folder they stood in. */
export type Dropped = { path: string; content: Uint8Array };

type WithPath = File & { path?: string };

/** Where a file stood: in the folder that was dropped, or alone. */
export function pathOf(file: WithPath): string {
  const path = file.path || file.webkitRelativePath || file.name;
  return path.replace(/^\.?\/+/, '');
}

export async function readDropped(files: File[]): Promise<Dropped[]> {
  return Promise.all(
    files.map(async (file) => ({ path: pathOf(file), content: new Uint8Array(await file.arrayBuffer()) })),
  );
}

/** A folder that was dropped as a whole: its name, and its files without it. */
export function unwrap(files: Dropped[]): { folder?: string; files: Dropped[] } {
  const first = files[0]?.path.split('/')[0];
  if (!first || !files.every(({ path }) => path.startsWith(`${first}/`))) return { files };
  return {
    folder: first,
    files: files.map(({ path, content }) => ({ path: path.slice(first.length + 1), content })),
  };
}

/** What systems leave lying about and no skill wants. */
export function isClutter(path: string): boolean {
  return /(^|\/)(\.DS_Store|Thumbs\.db|__MACOSX|\.git)(\/|$)/.test(path);
}
