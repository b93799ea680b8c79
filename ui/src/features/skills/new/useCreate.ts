/** Puts a new skill in and opens it. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, api, call, type Schemas } from '@/api/client';
import { meQuery, refresh } from '@/api/queries';
import { told } from '@/components/feedback';
import { reviews } from '@/components/roles';
import { useUnsavedGuard } from '@/components/unsaved';
import { isWhole, type Scope, scopeBody } from '../scopes';

type Create = Schemas['CreateSkillRequest'];
type Skill = Schemas['SkillView'];

export type Placement = { scope: Scope; draft: boolean };

export function usePlacement(): [Placement, (placement: Placement) => void, boolean] {
  const me = useQuery(meQuery).data;
  const grants = me && reviews(me.user);
  const [chosen, choose] = useState<Placement | null>(null);
  const kind = grants ? 'workspace' : 'user';
  const placement = chosen ?? { scope: { kind, agent: null, user: me?.user.id ?? null }, draft: false };
  return [placement, choose, isWhole(placement.scope)];
}

export function useCreate(started: boolean) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [taken, setTaken] = useState<Skill | null>(null);
  // Each way to begin is a view of the one page, and takes what was written with it.
  useUnsavedGuard(started && !done, { whole: true });

  /** Does it, opens what came of it, and keeps what was refused. */
  const create = async (body: Create, { scope, draft }: Placement) => {
    setBusy(true);
    setError(null);
    setTaken(null);
    try {
      const answer = await call(
        api.POST('/api/v1/skills', { body: { ...body, ...scopeBody(scope), draft } }),
      );
      setDone(true);
      await refresh('skills');
      told(saysAfter(answer.skill));
      await navigate({ to: '/skills/$skillId', params: { skillId: answer.skill.id }, ignoreBlocker: true });
    } catch (thrown) {
      setError(thrown);
      if (thrown instanceof ApiError && thrown.code === 'name_taken' && body.name) {
        setTaken(await findNamed(body.name, scope));
      }
    } finally {
      setBusy(false);
    }
  };
  return { create, busy, error, taken, clear: () => setError(null) };
}

export function saysAfter(skill: Skill): string {
  if (skill.status === 'draft') return `${skill.title} is kept as a draft`;
  if (skill.status === 'pending_approval') return `${skill.title} waits for approval`;
  return `${skill.title} is in the library`;
}

/** The skill that has the name already, where one may see it. */
async function findNamed(name: string, scope: Scope): Promise<Skill | null> {
  try {
    const page = await call(
      api.GET('/api/v1/skills', { params: { query: { name, scope: scope.kind as never, limit: 1 } } }),
    );
    return (page.items[0] as Skill | undefined) ?? null;
  } catch {
    return null;
  }
}
