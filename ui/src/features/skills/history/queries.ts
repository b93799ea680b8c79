import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '@/api/client';

export type Revision = Schemas['RevisionView'];

export const revisionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['skills', 'revisions', id],
    queryFn: ({ pageParam }) =>
      call(
        api.GET('/api/v1/skills/{id}/revisions', {
          params: { path: { id }, query: { limit: 50, cursor: pageParam } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** The files of a revision; a revision never changes. */
export const filesQuery = (id: string, revision: number) =>
  queryOptions({
    queryKey: ['files', id, revision],
    queryFn: async () => {
      const answer = await call(
        api.GET('/api/v1/skills/{id}/files', {
          params: { path: { id }, query: { revision: String(revision) } },
        }),
      );
      return answer.items as Schemas['FileView'][];
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
