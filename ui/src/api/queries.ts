/**
 * What is read from the server, by key. The first word of a key is the topic under which the server tells of changes,
 * so that whatever is shown is read again when it changes elsewhere.
 */
import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError, api, call, type Schemas } from './client';

export const topics = [
  'skills',
  'agents',
  'sessions',
  'runs',
  'decisions',
  'audit',
  'users',
  'tokens',
  'workspace',
] as const;
export type Topic = (typeof topics)[number];

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) =>
        count < 2 && error instanceof ApiError && (error.isOffline || error.status >= 500),
    },
  },
});

/** Reads again what is shown of these topics. */
export async function refresh(...changed: Topic[]): Promise<void> {
  const keys: (readonly string[])[] = changed.map((topic) => [topic]);
  // What holds in the workspace is told with who one is there.
  if (changed.includes('workspace')) keys.push(meQuery.queryKey);
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/** Reads again what is shown of these topics, except what came after that moment. */
export async function refreshOlder(changed: Topic[], moment: number): Promise<void> {
  await queryClient.invalidateQueries({
    predicate: ({ queryKey, state }) =>
      changed.includes(queryKey[0] as Topic) &&
      // What is under way may have been read before it.
      (state.dataUpdatedAt <= moment || state.fetchStatus === 'fetching'),
  });
}

export const meQuery = queryOptions({
  queryKey: ['users', 'me'],
  queryFn: () => call(api.GET('/api/v1/me')),
  staleTime: 60_000,
});

export const workspacesQuery = queryOptions({
  queryKey: ['workspace', 'all'],
  queryFn: () => call(api.GET('/api/v1/workspaces')),
});

export const usersQuery = queryOptions({
  queryKey: ['users', 'list'],
  queryFn: () => call(api.GET('/api/v1/users')),
  staleTime: 60_000,
});

/** All agents: there are dozens, not thousands. */
export const agentsQuery = queryOptions({
  queryKey: ['agents', 'list'],
  queryFn: async () => {
    const items: Schemas['AgentView'][] = [];
    let cursor: string | undefined;
    do {
      const page = await call(api.GET('/api/v1/agents', { params: { query: { limit: 200, cursor } } }));
      items.push(...(page.items as Schemas['AgentView'][]));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    return items;
  },
});

export const agentQuery = (id: string) =>
  queryOptions({
    queryKey: ['agents', 'one', id],
    queryFn: () => call(api.GET('/api/v1/agents/{id}', { params: { path: { id } } })),
  });

export const skillQuery = (id: string) =>
  queryOptions({
    queryKey: ['skills', 'one', id],
    queryFn: () => call(api.GET('/api/v1/skills/{id}', { params: { path: { id } } })),
  });

export type SkillListQuery = NonNullable<
  import('./schema').paths['/api/v1/skills']['get']['parameters']['query']
>;

/** The skills a filter lets through, page after page, with how many there are. */
export const skillsQuery = (filter: SkillListQuery) =>
  infiniteQueryOptions({
    queryKey: ['skills', 'list', filter],
    queryFn: ({ pageParam }) =>
      call(
        api.GET('/api/v1/skills', {
          params: {
            query: { limit: 200, count: pageParam ? undefined : true, ...filter, cursor: pageParam },
          },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const tagsQuery = queryOptions({
  queryKey: ['skills', 'tags'],
  queryFn: () => call(api.GET('/api/v1/tags')),
});

/** What waits for a reviewer; its number stands in the navigation. */
export const waitingQuery = queryOptions({
  queryKey: ['skills', 'waiting'],
  queryFn: () =>
    call(api.GET('/api/v1/skills', { params: { query: { waiting: true, count: true, limit: 200 } } })),
});

export const sandboxQuery = queryOptions({
  queryKey: ['sandbox'],
  queryFn: () => call(api.GET('/api/v1/sandbox')),
});
