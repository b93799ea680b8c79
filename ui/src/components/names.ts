/** Who and what ids mean: records carry ids, people read names. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { agentsQuery, usersQuery } from '@/api/queries';

export type Names = {
  user: (id: string | null | undefined) => string;
  agent: (id: string | null | undefined) => string;
  /** A person, with the agent they acted through. */
  who: (user: string | null | undefined, agent: string | null | undefined) => string;
};

export function useNames(): Names {
  const users = useQuery(usersQuery).data?.items;
  const agents = useQuery(agentsQuery).data;
  return useMemo(() => {
    const people = new Map(users?.map((user) => [user.id, user.display_name || user.handle]));
    const robots = new Map(agents?.map((agent) => [agent.id, agent.title || agent.name]));
    const names: Omit<Names, 'who'> = {
      user: (id) => (id ? (people.get(id) ?? 'someone') : ''),
      agent: (id) => (id ? (robots.get(id) ?? 'an agent') : ''),
    };
    return {
      ...names,
      who: (user, agent) => [names.user(user), names.agent(agent)].filter(Boolean).join(' through '),
    };
  }, [users, agents]);
}
