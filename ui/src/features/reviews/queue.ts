/** What waits for somebody's decision. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { meQuery, skillsQuery, waitingQuery } from '@/api/queries';
import { reviews } from '@/components/roles';
import type { Skill } from './decisions';
import { concerns } from './rights';

export type Show = 'pending' | 'drafts' | 'promotions';

const shows: Record<Show, (skill: Skill) => boolean> = {
  pending: (skill) => skill.status === 'pending_approval',
  drafts: (skill) => skill.status === 'draft',
  promotions: (skill) => Boolean(skill.promotion),
};

/** How many wait, for the navigation: all of them for a reviewer, one's own for everyone else. */
export function useWaitingCount(): number {
  const me = useQuery(meQuery).data?.user;
  const { data } = useQuery(waitingQuery);
  if (!me || !data) return 0;
  if (reviews(me)) return data.total ?? 0;
  return (data.items as Skill[]).filter((skill) => concerns(me, skill)).length;
}

/** The queue, newest first, without what was decided here and the server has not told of yet. */
export function useQueue(show: Show | undefined, decided: ReadonlySet<string>) {
  const me = useQuery(meQuery).data?.user;
  const list = useInfiniteQuery(skillsQuery({ waiting: true, sort: 'updated' }));
  const skills = useMemo(() => {
    const all = (list.data?.pages ?? []).flatMap((page) => page.items as Skill[]);
    return all.filter((skill) => me && concerns(me, skill) && !decided.has(keyOf(skill)));
  }, [list.data, me, decided]);
  const shown = useMemo(() => (show ? skills.filter(shows[show]) : skills), [skills, show]);
  return { me, list, shown, counts: countsOf(skills) };
}

/** A decision is about one version: a skill that is handed in again is there again. */
export const keyOf = (skill: Pick<Skill, 'id' | 'version'>): string => `${skill.id}:${skill.version}`;

function countsOf(skills: Skill[]) {
  return {
    all: skills.length,
    pending: skills.filter(shows.pending).length,
    drafts: skills.filter(shows.drafts).length,
    promotions: skills.filter(shows.promotions).length,
  };
}
