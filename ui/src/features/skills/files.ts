/** The text of files of a bundle, as a revision holds them. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { fetchRaw } from '@/api/client';
import { fileAddress } from './download';
import type { Skill } from './useSkill';

/** A revision never changes, so what was read of it stays true. */
export const fileTextQuery = (skill: string, path: string, revision: number) =>
  queryOptions({
    queryKey: ['files', skill, revision, path],
    queryFn: async () => (await fetchRaw(fileAddress(skill, path, revision))).text(),
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * The text of a file as the shown revision has it, for an editor: null where there is no such file. When somebody else
 * saves, the editor stays, and so does what is typed in it: until the new text is read the former one is given, and
 * `settled` says that it is not the one of this revision. Undefined means that nothing was read so far.
 */
export function useFileText(skill: Skill, path: string | null) {
  const query = useQuery({
    ...fileTextQuery(skill.id, path ?? '', skill.shown.number),
    enabled: path !== null,
  });
  const now = path === null ? null : query.data;
  const last = useRef<{ skill: string; text: string | null }>(undefined);
  if (now !== undefined) last.current = { skill: skill.id, text: now };
  return {
    text: last.current?.skill === skill.id ? last.current.text : undefined,
    settled: now !== undefined,
    error: now === undefined ? query.error : null,
    retry: () => void query.refetch(),
  };
}
