/** The decisions about a skill, each against the version that was looked at. */
import { ApiError, api, call, ifMatch, type Schemas } from '@/api/client';
import { statusLabel } from '@/components/badges';
import type { Wider } from '@/components/wider';

export type Skill = Schemas['SkillView'];

const of = (skill: Pick<Skill, 'id'>) => ({ path: { id: skill.id } });

export const approve = (skill: Skill) =>
  call(
    api.POST('/api/v1/skills/{id}/approve', {
      params: { ...of(skill), query: { only_if: 'pending' } },
      headers: ifMatch(skill.version),
    }),
  );

export const reject = (skill: Skill, reason: string) =>
  call(
    api.POST('/api/v1/skills/{id}/reject', {
      params: of(skill),
      headers: ifMatch(skill.version),
      body: { reason: reason || null },
    }),
  );

export const submit = (skill: Skill) =>
  call(
    api.POST('/api/v1/skills/{id}/submit', { params: of(skill), headers: ifMatch(skill.version), body: {} }),
  );

export const discard = (skill: Skill) =>
  call(api.DELETE('/api/v1/skills/{id}', { params: of(skill), headers: ifMatch(skill.version) }));

export const undelete = (skill: Pick<Skill, 'id'>) =>
  call(api.POST('/api/v1/skills/{id}/undelete', { params: of(skill) }));

export const promote = (skill: Skill, to: Wider) =>
  call(
    api.POST('/api/v1/skills/{id}/promote', {
      params: of(skill),
      headers: ifMatch(skill.version),
      body: { to },
    }),
  );

/** Takes a rejection back: the skill waits again as it did, unless somebody was at it since. */
export async function unreject(skill: Skill, rejected: Skill): Promise<void> {
  const { skill: draft } = await call(
    api.POST('/api/v1/skills/{id}/reopen', {
      params: of(skill),
      headers: ifMatch(rejected.version),
      body: {},
    }),
  );
  if (skill.status === 'pending_approval') await submit(draft);
}

export const waits = (skill: Pick<Skill, 'status' | 'promotion'>): boolean =>
  ['draft', 'pending_approval'].includes(skill.status) || Boolean(skill.promotion);

/** What became of a skill whose decision the server refused because it stands otherwise by now. */
type Meanwhile = { over: boolean; message: string };

/** Reads how a skill stands after somebody else was there first; null where that is not why it was refused. */
export async function meanwhile(skill: Skill, error: unknown): Promise<Meanwhile | null> {
  const known = ['precondition_failed', 'not_pending', 'invalid_transition', 'not_found'];
  if (!(error instanceof ApiError) || !known.includes(error.code)) return null;
  const name = skill.title || skill.name;
  try {
    const now = await call(api.GET('/api/v1/skills/{id}', { params: of(skill) }));
    if (!waits(now))
      return {
        over: true,
        message: `Somebody else decided meanwhile: “${name}” is now ${statusLabel(now.status).toLowerCase()}.`,
      };
    if (now.version === skill.version) return null;
    return { over: false, message: `“${name}” was changed meanwhile. Look at it again before you decide.` };
  } catch (again) {
    if (again instanceof ApiError && again.status === 404)
      return { over: true, message: `Somebody else removed “${name}” meanwhile.` };
    return null;
  }
}
