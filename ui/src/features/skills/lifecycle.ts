/** The steps in a skill's life, each with what is said afterwards and how it is taken back. */
import { useNavigate } from '@tanstack/react-router';
import { api, call, ifMatch, type Schemas } from '@/api/client';
import { queryClient, refresh, skillQuery } from '@/api/queries';
import { ask, askReason, failed, told } from '@/components/feedback';
import type { Rights } from './rights';
import { isStale } from './useSkill';

type Skill = Schemas['SkillDetailView'];
export type Step = 'submit' | 'approve' | 'reject' | 'archive' | 'reopen';

const done: Record<Step, string> = {
  submit: 'Handed in for review',
  approve: 'Approved',
  reject: 'Rejected',
  archive: 'Archived',
  reopen: 'Reopened as a draft',
};

function take(id: string, step: Step, version: number, reason?: string) {
  return call(
    api.POST(`/api/v1/skills/{id}/${step}`, {
      params: { path: { id } },
      body: { reason: reason || undefined },
      headers: ifMatch(version),
    }),
  );
}

async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    failed(
      isStale(error)
        ? new Error('somebody changed this skill in between; look at it again, then decide')
        : error,
    );
  } finally {
    await refresh('skills', 'audit');
  }
}

export function useLifecycle(skill: Skill, rights: Rights) {
  const navigate = useNavigate();
  const { id } = skill;

  const step = (word: Step) =>
    attempt(async () => {
      let reason: string | null = '';
      if (word === 'reject') {
        reason = await askReason({
          title:
            skill.promotion && skill.status === 'active' ? 'Refuse the promotion?' : 'Reject this skill?',
          label: 'Why',
          placeholder: 'What would have to change? The author reads this.',
          confirm: 'Reject',
        });
        if (reason === null) return;
      }
      const { skill: after } = await take(id, word, skill.version, reason);
      told(done[word], word === 'archive' ? backFromArchive(skill, after, rights.approve) : undefined);
    });

  const setEnabled = (enabled: boolean) =>
    attempt(async () => {
      const key = skillQuery(id).queryKey;
      const before = queryClient.getQueryData(key);
      if (before) queryClient.setQueryData(key, { ...before, enabled });
      try {
        await turn(id, enabled);
      } catch (error) {
        queryClient.setQueryData(key, before);
        throw error;
      }
      told(enabled ? 'Turned on' : 'Turned off: agents no longer find it', () =>
        turn(id, !enabled).finally(() => refresh('skills')),
      );
    });

  const promote = (to: Schemas['WiderScope'], words: string) =>
    attempt(async () => {
      // To one's own wider scope nobody else's consent is needed.
      const grants = rights.grant || to === 'user';
      const sure = await ask({
        title: `Promote to ${words}?`,
        message: grants
          ? 'More people and agents will see it. There is no way back to the narrower scope.'
          : 'A reviewer decides. Until then it stays where it is.',
        confirm: grants ? 'Promote' : 'Ask for it',
        danger: false,
      });
      if (!sure) return;
      const { skill: after } = await call(
        api.POST('/api/v1/skills/{id}/promote', {
          params: { path: { id } },
          body: { to },
          headers: ifMatch(skill.version),
        }),
      );
      told(after.promotion ? 'Asked for: a reviewer decides' : 'Promoted');
    });

  const remove = (undeleteHours: number) =>
    attempt(async () => {
      if (undeleteHours === 0) {
        const sure = await ask({
          title: `Delete ${skill.title}?`,
          message: 'All its revisions and files are gone at once. This cannot be undone.',
          confirm: 'Delete',
        });
        if (!sure) return;
      }
      await call(api.DELETE('/api/v1/skills/{id}', { params: { path: { id } } }));
      await navigate({ to: '/skills' });
      queryClient.removeQueries({ queryKey: skillQuery(id).queryKey });
      told(`${skill.title} is deleted`, undeleteHours > 0 ? () => bringBack(id) : undefined);
    });

  return { step, setEnabled, promote, remove };
}

function turn(id: string, enabled: boolean) {
  return call(
    api.POST(`/api/v1/skills/{id}/${enabled ? 'enable' : 'disable'}`, { params: { path: { id } } }),
  );
}

/**
 * Archiving is taken back by reopening, which makes a draft, and then by letting it in as before. Each step rests on
 * the one before it, so that nothing is let in that somebody wrote in between.
 */
function backFromArchive(
  skill: Skill,
  archived: Schemas['SkillView'],
  mayApprove: boolean,
): (() => Promise<unknown>) | undefined {
  if (skill.status === 'active' && !mayApprove) return undefined;
  if (skill.status === 'rejected') return undefined;
  return async () => {
    try {
      const { version } = (await take(skill.id, 'reopen', archived.version)).skill;
      if (skill.status === 'active') await take(skill.id, 'approve', version);
      if (skill.status === 'pending_approval') await take(skill.id, 'submit', version);
    } finally {
      await refresh('skills', 'audit');
    }
  };
}

export async function bringBack(id: string): Promise<void> {
  try {
    await call(api.POST('/api/v1/skills/{id}/undelete', { params: { path: { id } } }));
  } finally {
    await refresh('skills', 'audit');
  }
}
