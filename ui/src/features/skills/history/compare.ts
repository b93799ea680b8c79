/** What differs between the files of two revisions. */
import type { Schemas } from '@/api/client';

type FileView = Schemas['FileView'];

export type Difference = {
  kind: 'added' | 'removed' | 'renamed' | 'changed' | 'mode';
  path: string;
  before: FileView | null;
  after: FileView | null;
};

/** A file that went and one that came with the same bytes are one file that was renamed. */
export function compareFiles(before: FileView[], after: FileView[]): Difference[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Map(after.map((file) => [file.path, file]));
  const gone = before.filter((file) => !now.has(file.path));
  const found: Difference[] = [];
  for (const file of after) {
    const was = old.get(file.path);
    if (!was) {
      const at = gone.findIndex(({ digest, size }) => digest === file.digest && size > 0);
      const [from] = at < 0 ? [] : gone.splice(at, 1);
      found.push({ kind: from ? 'renamed' : 'added', path: file.path, before: from ?? null, after: file });
    } else if (was.digest !== file.digest) {
      found.push({ kind: 'changed', path: file.path, before: was, after: file });
    } else if (was.executable !== file.executable) {
      found.push({ kind: 'mode', path: file.path, before: was, after: file });
    }
  }
  for (const file of gone) found.push({ kind: 'removed', path: file.path, before: file, after: null });
  const rank = (path: string) => (path.toLowerCase() === 'skill.md' ? 0 : 1);
  return found.sort((a, b) => rank(a.path) - rank(b.path) || a.path.localeCompare(b.path));
}
