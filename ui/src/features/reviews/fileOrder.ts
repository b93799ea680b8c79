/** In which order the files of a skill are read, and which are open when a person comes to them. */
import type { Schemas } from '@/api/client';

type File = Pick<Schemas['FileView'], 'path' | 'size'>;

/** More, and larger ones, wait for a click: the page would be slow, and nobody reads that far unasked. */
const OPEN_FILES = 12;
const OPEN_BYTES = 128 * 1024;

/** `SKILL.md` comes first, since models read it first; `ahead` comes before it. */
export function inOrder<F extends File>(files: readonly F[], ahead: string | null): F[] {
  const rank = ({ path }: F) => (path === ahead ? 0 : path === 'SKILL.md' ? 1 : 2);
  return [...files].sort((one, other) => rank(one) - rank(other) || (one.path < other.path ? -1 : 1));
}

type Revised = { approved_revision?: number | null; shown: { number: number } };

/** Everything, unless an earlier revision was let in: then what differs from it is shown already. */
export function openAtFirst(
  files: readonly File[],
  { approved_revision: approved, shown }: Revised,
): string[] {
  if (approved && approved < shown.number) return [];
  return files
    .filter(({ size }) => size <= OPEN_BYTES)
    .slice(0, OPEN_FILES)
    .map(({ path }) => path);
}
