/** What the address of the conversations says: whose, through which agent, how they ended. */

export const outcomes = ['open', 'succeeded', 'failed', 'abandoned'] as const;
type OutcomeFilter = (typeof outcomes)[number];
export type SessionSearch = { who?: 'all'; agent?: string; outcome?: OutcomeFilter };

export function readSessionSearch(search: Record<string, unknown>): SessionSearch {
  return {
    who: search.who === 'all' ? 'all' : undefined,
    agent: typeof search.agent === 'string' && search.agent ? search.agent : undefined,
    outcome: outcomes.find((word) => word === search.outcome),
  };
}
