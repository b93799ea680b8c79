/** The text of files of a bundle, as a revision holds them. */
import { queryOptions } from '@tanstack/react-query';
import { fetchRaw } from '@/api/client';
import { fileAddress } from './download';

/** A revision never changes, so what was read of it stays true. */
export const fileTextQuery = (skill: string, path: string, revision: number) =>
  queryOptions({
    queryKey: ['files', skill, revision, path],
    queryFn: async () => (await fetchRaw(fileAddress(skill, path, revision))).text(),
    staleTime: Number.POSITIVE_INFINITY,
  });
