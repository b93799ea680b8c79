/** Decides about skills: at once in the list, honestly when the server sees it otherwise, with undo where there is one. */
import { notifications } from '@mantine/notifications';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { meQuery, refresh } from '@/api/queries';
import { scopeLabel } from '@/components/badges';
import { ask, askReason, failed, told } from '@/components/feedback';
import type { Wider } from '@/components/wider';
import {
  approve,
  discard,
  meanwhile,
  promote,
  reject,
  type Skill,
  submit,
  undelete,
  unreject,
} from './decisions';
import { keyOf } from './queue';

const called = (skill: Skill) => skill.title || skill.name;

export function useDecisions(goOn: (skill: Skill) => void, goBack: (skill: Skill) => void) {
  const me = useQuery(meQuery).data;
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<(() => Promise<unknown>) | null>(null);

  const decide = useCallback(
    async <R,>(
      skill: Skill,
      step: () => Promise<R>,
      message: string,
      undo?: (result: R) => Promise<unknown>,
    ) => {
      goOn(skill);
      setDecided((before) => new Set(before).add(keyOf(skill)));
      try {
        const result = await step();
        const takeBack = undo && (() => undo(result).finally(() => refresh('skills')));
        last.current = takeBack ?? null;
        told(message, takeBack);
      } catch (error) {
        const other = await meanwhile(skill, error);
        if (other) note(other.message);
        else failed(error);
        if (!other?.over) {
          setDecided((before) => new Set([...before].filter((key) => key !== keyOf(skill))));
          goBack(skill);
        }
      }
      await refresh('skills');
    },
    [goOn, goBack],
  );

  const doReject = useCallback(
    async (skill: Skill) => {
      const wider = skill.status === 'active' && skill.promotion;
      const reason = await askReason({
        title: wider ? `Refuse the promotion of “${called(skill)}”?` : `Reject “${called(skill)}”?`,
        label: 'Reason',
        placeholder: 'Its author reads this, so say what should change',
        confirm: 'Reject',
        required: true,
      });
      if (reason === null) return;
      await decide(
        skill,
        () => reject(skill, reason),
        wider ? `Promotion refused: ${called(skill)}` : `Rejected: ${called(skill)}`,
        // A refused promotion would be granted by asking again as a reviewer; that is no undo.
        wider ? undefined : (rejected) => unreject(skill, rejected.skill),
      );
    },
    [decide],
  );

  const doPromote = useCallback(async (skill: Skill, to: Wider) => {
    const sure = await ask({
      title: `Promote “${called(skill)}” to ${scopeLabel(to).toLowerCase()}?`,
      message: 'More people and agents can use it then. A skill cannot be moved back to a narrower scope.',
      confirm: 'Promote',
      danger: false,
    });
    if (!sure) return;
    try {
      const { skill: now } = await promote(skill, to);
      told(
        now.promotion
          ? `Promotion asked for: ${called(skill)}`
          : `Promoted to ${scopeLabel(to).toLowerCase()}: ${called(skill)}`,
      );
    } catch (error) {
      const other = await meanwhile(skill, error);
      if (other) note(other.message);
      else failed(error);
    }
    await refresh('skills');
  }, []);

  const doDiscard = useCallback(
    async (skill: Skill) => {
      const back = (me?.workspace.undelete_window_hours ?? 0) > 0;
      const sure = await ask({
        title: `Discard “${called(skill)}”?`,
        message: back ? 'You can bring it back for a while.' : 'It is removed for good.',
        confirm: 'Discard',
      });
      if (!sure) return;
      await decide(
        skill,
        () => discard(skill),
        `Discarded: ${called(skill)}`,
        back ? () => undelete(skill) : undefined,
      );
    },
    [decide, me],
  );

  const takeBack = useCallback(() => {
    const undo = last.current;
    last.current = null;
    if (!undo) return note('There is nothing to undo: an approval stands until somebody rejects the skill.');
    undo().then(() => told('Undone'), failed);
  }, []);

  return {
    decided,
    approve: useCallback(
      (skill: Skill) => decide(skill, () => approve(skill), `Approved: ${called(skill)}`),
      [decide],
    ),
    submit: useCallback(
      (skill: Skill) => decide(skill, () => submit(skill), `Handed in for review: ${called(skill)}`),
      [decide],
    ),
    reject: doReject,
    promote: doPromote,
    discard: doDiscard,
    takeBack,
  };
}

export type Decisions = ReturnType<typeof useDecisions>;

function note(message: string): void {
  notifications.show({
    message,
    icon: <IconInfoCircle size={18} />,
    color: 'blue',
    autoClose: 8_000,
    closeButtonProps: { 'aria-label': 'Close notice' },
  });
}
