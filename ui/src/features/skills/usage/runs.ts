/** The runs of a skill: all that a list asks for page by page, and a bounded number for charts. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { Run } from './numbers';

/** Charts read no more than this: five requests. */
export const DRAWN_RUNS = 1000;

export const drawnQuery = (skill: string) =>
  queryOptions({
    queryKey: ['runs', 'drawn', skill],
    queryFn: async () => {
      const items: Run[] = [];
      let cursor: string | undefined;
      do {
        const page = await call(
          api.GET('/api/v1/skills/{id}/runs', {
            params: { path: { id: skill }, query: { limit: 200, cursor } },
          }),
        );
        items.push(...page.items);
        cursor = page.next_cursor ?? undefined;
      } while (cursor && items.length < DRAWN_RUNS);
      return { items, more: Boolean(cursor) };
    },
    staleTime: 30_000,
  });

export const runsQuery = (skill: string, status: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['runs', 'list', skill, status ?? null],
    queryFn: ({ pageParam }) =>
      call(
        api.GET('/api/v1/skills/{id}/runs', {
          params: { path: { id: skill }, query: { limit: 20, status, cursor: pageParam } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
