/** What a skill waits for, or why it is not in use, with the next step beside it. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconArchive, IconHourglass, IconPencil, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useNames } from '@/components/names';
import type { Step, useLifecycle } from './lifecycle';
import type { Rights } from './rights';
import { scopeWords } from './scopes';
import type { Skill } from './useSkill';

type Props = { skill: Skill; rights: Rights; life: ReturnType<typeof useLifecycle> };

export function Waiting({ skill, rights, life }: Props) {
  const names = useNames();
  const button = (step: Step, label: string, filled = false) => (
    <Button key={step} size="xs" variant={filled ? 'filled' : 'default'} onClick={() => void life.step(step)}>
      {label}
    </Button>
  );
  const decide = [
    ...(rights.approve ? [button('approve', 'Approve', true)] : []),
    ...(rights.reject ? [button('reject', 'Reject')] : []),
  ];

  if (skill.promotion) {
    return (
      <Note icon={<IconHourglass size={20} />} title="A promotion waits" buttons={decide}>
        It was asked to move from {scopeWords(skill.scope, names)} to {scopeWords(skill.promotion, names)}.
        Until a reviewer decides it stays where it is.
      </Note>
    );
  }
  switch (skill.status) {
    case 'draft':
      return (
        <Note
          icon={<IconPencil size={20} />}
          title="A draft"
          buttons={[
            ...(rights.edit ? [button('submit', 'Submit for review', !rights.approve)] : []),
            ...(rights.approve ? [button('approve', 'Approve', true)] : []),
          ]}
        >
          Agents do not find it yet. {who(skill, names)} <Since skill={skill} />
        </Note>
      );
    case 'pending_approval':
      return (
        <Note icon={<IconHourglass size={20} />} title="Waits for approval" buttons={decide}>
          Agents do not find it until it is approved. {who(skill, names)} <Since skill={skill} />
        </Note>
      );
    case 'rejected':
      return (
        <Note
          icon={<IconX size={20} />}
          color="red"
          title="Rejected"
          buttons={rights.archive ? [button('reopen', 'Reopen as a draft')] : []}
        >
          {skill.status_reason ? `The reason: ${skill.status_reason}` : 'No reason was given.'}
        </Note>
      );
    case 'archived':
      return (
        <Note
          icon={<IconArchive size={20} />}
          color="gray"
          title="Archived"
          buttons={rights.archive ? [button('reopen', 'Reopen as a draft')] : []}
        >
          It is kept, and agents no longer find it.
          {skill.status_reason ? ` The reason: ${skill.status_reason}` : ''}
        </Note>
      );
    default:
      return null;
  }
}

function who(skill: Skill, names: ReturnType<typeof useNames>): string {
  return `Revision ${skill.revision} is by ${names.who(skill.updated_by, skill.shown.agent_id)}.`;
}

/** What a reviewer compares: what was let in last, and what waits. */
function Since({ skill }: { skill: Skill }) {
  const approved = skill.approved_revision;
  if (!approved || approved === skill.revision) return null;
  return (
    <Link
      to="/skills/$skillId/history"
      params={{ skillId: skill.id }}
      search={{ from: approved, to: skill.revision }}
    >
      Compare it with revision {approved}, which was let in last
    </Link>
  );
}

type NoteProps = {
  icon: ReactNode;
  title: string;
  color?: string;
  buttons: ReactNode[];
  children: ReactNode;
};

function Note({ icon, title, color = 'yellow', buttons, children }: NoteProps) {
  return (
    <Alert variant="light" color={color} icon={icon} title={title} mb="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 18rem">
          {children}
        </Text>
        {buttons.length > 0 && <Group gap="xs">{buttons}</Group>}
      </Group>
    </Alert>
  );
}
