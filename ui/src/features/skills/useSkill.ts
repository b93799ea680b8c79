/** The skill whose page is open, and the one way to change what it holds. */
import { useMutation } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { ApiError, api, call, type Schemas } from '@/api/client';
import { queryClient, refresh, skillQuery } from '@/api/queries';
import { changedByBoth } from './overlap';
import { askStale } from './stale';

export type Skill = Schemas['SkillDetailView'];

export const SkillContext = createContext<Skill | null>(null);

/** The skill of the page; for everything below `SkillPage`. */
export function useSkill(): Skill {
  const skill = useContext(SkillContext);
  if (!skill) throw new Error('useSkill is for what stands on the page of a skill');
  return skill;
}

type Edit = Schemas['EditSkillRequest'];
type Published = Schemas['PublishedView'];

/**
 * `edit` saves a change as a revision. It rests on `expected_revision`, or else on the revision of `skill`: an editor
 * that was opened on an older one names that. Where another revision came in between, the person decides; null means
 * that they keep editing and nothing was saved. Everything else that goes wrong is thrown.
 */
export function useSkillActions(skill: Skill) {
  const save = useMutation({
    mutationFn: (body: Edit) => saveEdit(skill, body),
    onSettled: () => refresh('skills', 'audit'),
  });
  return { edit: (body: Edit): Promise<Published | null> => save.mutateAsync(body), saving: save.isPending };
}

async function saveEdit(skill: Skill, body: Edit): Promise<Published | null> {
  let on = body.expected_revision ?? skill.revision;
  for (;;) {
    try {
      return await call(
        api.PATCH('/api/v1/skills/{id}', {
          params: { path: { id: skill.id } },
          body: { ...body, expected_revision: on },
        }),
      );
    } catch (error) {
      if (!isStale(error)) throw error;
      const now = await queryClient.fetchQuery({ ...skillQuery(skill.id), staleTime: 0 });
      if (!(await askStale({ skill: now, from: on, both: changedByBoth(skill, now, body) }))) return null;
      on = now.revision;
    }
  }
}

/** A skill as a save left it, also where somebody else has saved again since. */
export async function savedSkill({ id, revision }: Pick<Skill, 'id' | 'revision'>): Promise<Skill> {
  const now = await queryClient.ensureQueryData(skillQuery(id));
  if (now.revision === revision) return now;
  const then = await call(
    api.GET('/api/v1/skills/{id}', { params: { path: { id }, query: { revision: String(revision) } } }),
  );
  return { ...then, revision };
}

export function isStale(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.code === 'stale_revision' || error.code === 'precondition_failed')
  );
}
