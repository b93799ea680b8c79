/** What Governance reads. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '@/api/client';
import { beginningOf } from '@/components/spans';
import type { DecisionSearch } from './search';

/** Policies are facets of skills, so they change when skills do. */
export const policiesQuery = (agent?: string) =>
  queryOptions({
    queryKey: ['skills', 'policies', agent ?? null],
    queryFn: () => call(api.GET('/api/v1/governance/policies', { params: { query: { agent } } })),
  });

/** Of the policies that reach somebody: which are active when nothing is known of the task. */
export const alwaysQuery = (agent?: string) =>
  queryOptions({
    queryKey: ['skills', 'policies-always', agent ?? null],
    queryFn: async () => {
      const answer = await call(api.POST('/api/v1/governance/explain', { body: { agent: agent ?? null } }));
      return new Map(answer.policies.map(({ id, active }) => [id, active]));
    },
  });

export const decisionsQuery = (search: DecisionSearch) => {
  const { decision: _, run, since, ...rest } = search;
  return infiniteQueryOptions({
    queryKey: ['decisions', 'list', { ...rest, run, since }],
    queryFn: ({ pageParam }) =>
      call(
        api.GET('/api/v1/governance/decisions', {
          params: {
            query: { ...rest, run_id: run, since: beginningOf(since), limit: 50, cursor: pageParam },
          },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
};

export const decisionQuery = (id: string) =>
  queryOptions({
    queryKey: ['decisions', 'one', id],
    queryFn: () => call(api.GET('/api/v1/governance/decisions/{id}', { params: { path: { id } } })),
  });

export const governedRunQuery = (id: string) =>
  queryOptions({
    queryKey: ['decisions', 'run', id],
    queryFn: () => call(api.GET('/api/v1/governance/runs/{id}', { params: { path: { id } } })),
  });

export type Decision = Schemas['DecisionView'];
export type PolicyState = Schemas['PolicyStateView'];
