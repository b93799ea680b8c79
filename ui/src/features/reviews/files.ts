/** Files of a skill as texts. */
import { queryOptions } from '@tanstack/react-query';
import { fetchRaw } from '@/api/client';

/** The text of a file; null where it is not text. */
export const skillFileQuery = (id: string, path: string, revision: number) =>
  queryOptions({
    queryKey: ['skills', 'file', id, path, revision],
    queryFn: async () => {
      const place = path.split('/').map(encodeURIComponent).join('/');
      const response = await fetchRaw(`/api/v1/skills/${id}/files/${place}?revision=${revision}`);
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer());
      } catch {
        return null;
      }
    },
    // A revision never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
