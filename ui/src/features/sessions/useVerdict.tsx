/** What a person decides about a skill from a conversation, with the server's answer told honestly. */
import { notifications } from '@mantine/notifications';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, call, ifMatch, type Schemas } from '@/api/client';
import { meQuery, queryClient, refresh } from '@/api/queries';
import { ask, told } from '@/components/feedback';
import { undelete } from '@/features/reviews/decisions';
import { type Artifact, artifactSkillQuery } from './artifacts';

type Skill = Schemas['SkillDetailView'];

/** What stood in the way of a decision: the skill is as it is shown now. */
type Obstacle = { error: unknown; changed: boolean };

export function useVerdict(artifact: Artifact) {
  const me = useQuery(meQuery).data;
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const [obstacle, setObstacle] = useState<Obstacle | null>(null);

  const attempt = async (step: () => Promise<unknown>, done: () => void): Promise<boolean> => {
    setBusy(true);
    setObstacle(null);
    try {
      await step();
      done();
      return true;
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      if (status === 404) {
        queryClient.setQueryData(artifactSkillQuery(artifact).queryKey, null);
        note('This skill was already removed.');
        return true;
      }
      setObstacle({ error, changed: status === 412 });
      return false;
    } finally {
      setBusy(false);
      await refresh('skills', 'sessions');
    }
  };

  const approve = (skill: Skill, message: string) =>
    attempt(
      () =>
        call(
          api.POST('/api/v1/skills/{id}/approve', {
            params: { path: { id: skill.id } },
            headers: ifMatch(skill.version),
            body: {},
          }),
        ),
      () => told(message),
    );

  /** Keeps what is in use without approving anything: nothing has to change for that. */
  const keep = async (): Promise<boolean> => {
    told('Skill will continue to be used');
    return true;
  };

  const remove = async (skill: Skill, verb: 'Reject' | 'Remove', message: string): Promise<boolean> => {
    const hours = me?.workspace.undelete_window_hours ?? 0;
    const shared = !skill.scope.user_id;
    setAsking(true);
    const sure = await ask({
      title: `${verb} “${artifact.metadata.skill_name}”?`,
      message: `${shared ? 'It is removed for everyone who can use it. ' : ''}${
        hours > 0
          ? 'You can bring it back for a while.'
          : 'Its code and history are gone for good; this cannot be undone.'
      }`,
      confirm: verb === 'Reject' ? 'Reject' : 'Remove',
    });
    setAsking(false);
    if (!sure) return false;
    return attempt(
      () =>
        call(
          api.DELETE('/api/v1/skills/{id}', {
            params: {
              path: { id: skill.id },
              query: { reason: `${verb === 'Reject' ? 'Rejected' : 'Removed'} in a conversation` },
            },
            headers: ifMatch(skill.version),
          }),
        ),
      () =>
        told(
          message,
          hours > 0 ? () => undelete(skill).then(() => refresh('skills', 'sessions')) : undefined,
        ),
    );
  };

  return { approve, keep, remove, busy, asking, obstacle, forget: () => setObstacle(null) };
}

function note(message: string): void {
  notifications.show({
    message,
    icon: <IconInfoCircle size={18} />,
    color: 'blue',
    closeButtonProps: { 'aria-label': 'Close notice' },
  });
}
