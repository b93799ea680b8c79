/** Sessions and their entries, as the server keeps them. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '@/api/client';
import type { SessionSearch } from './search';

export type Session = Schemas['SessionView'];
export type SessionDetail = Schemas['SessionDetailView'];
export type Entry = Schemas['SessionEntryView'];

/** So many entries are shown without being asked for. */
export const AT_ONCE = 1_000;

export const sessionsQuery = ({ who, agent, outcome }: SessionSearch, me: string) =>
  infiniteQueryOptions({
    queryKey: ['sessions', 'list', who, agent, outcome, me],
    queryFn: ({ pageParam }) =>
      call(
        api.GET('/api/v1/sessions', {
          params: {
            query: {
              user: who === 'all' ? undefined : me,
              agent,
              open: outcome === 'open' ? true : undefined,
              outcome: outcome === 'open' ? undefined : outcome,
              limit: 50,
              cursor: pageParam,
            },
          },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['sessions', 'one', id],
    queryFn: () => call(api.GET('/api/v1/sessions/{id}', { params: { path: { id } } })),
  });

export const entriesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['sessions', 'entries', id],
    queryFn: ({ pageParam }) =>
      call(
        api.GET('/api/v1/sessions/{id}/entries', {
          params: { path: { id }, query: { limit: 200, cursor: pageParam } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** The header that makes a request act through an agent. */
export const through = (agent: string | undefined): Record<string, string> =>
  agent ? { 'Repertoire-Agent': agent } : {};
