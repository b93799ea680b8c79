/** What stands beside a conversation: tasks, skills, files, and where it comes from. */
import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import {
  IconCircle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconProgress,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { fetchRaw } from '@/api/client';
import { useNames } from '@/components/names';
import { Ago } from '@/components/time';
import { Files, type SessionFile } from './Answer';
import { type SessionDetail, through } from './queries';
import classes from './sessions.module.css';

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} fz="sm" fw={620} mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}

const marks = {
  pending: { icon: IconCircle, label: 'to do' },
  in_progress: { icon: IconProgress, label: 'in progress' },
  completed: { icon: IconCircleCheck, label: 'done' },
  cancelled: { icon: IconCircleMinus, label: 'cancelled' },
} as const;

type NotesProps = { session: SessionDetail; codeSession: string | undefined; agent: string | undefined };

export function SideNotes({ session, codeSession, agent }: NotesProps) {
  const names = useNames();
  const skills = [
    ...session.active_skills.map((skill) => ({ ...skill, proposed: false })),
    ...session.proposed_skills.map((skill) => ({ ...skill, proposed: true })),
  ];
  return (
    <Stack gap="lg">
      <Part title="About">
        <dl className={classes.about}>
          <dt>Agent</dt>
          <dd>{session.agent_id ? names.agent(session.agent_id) : 'none: in person'}</dd>
          <dt>Person</dt>
          <dd>{names.user(session.user_id)}</dd>
          {session.source && (
            <>
              <dt>Program</dt>
              <dd>{session.source}</dd>
            </>
          )}
          <dt>Began</dt>
          <dd>
            <Ago at={session.created_at} size="sm" />
          </dd>
          <dt>Entries</dt>
          <dd>{session.entry_count.toLocaleString('en')}</dd>
        </dl>
        {session.outcome_reason && (
          <Text size="sm" c="dimmed" mt={6}>
            {session.outcome_reason}
          </Text>
        )}
      </Part>
      {session.todos.length > 0 && (
        <Part title="Tasks">
          <ul className={classes.todos}>
            {session.todos.map((todo) => {
              const { icon: Mark, label } = marks[todo.status] ?? {
                icon: IconCircleDashed,
                label: todo.status,
              };
              return (
                <li key={todo.id} data-status={todo.status}>
                  <Mark size={16} role="img" aria-label={label} className={classes.fixed} />
                  <Text size="sm">{todo.content}</Text>
                </li>
              );
            })}
          </ul>
        </Part>
      )}
      {skills.length > 0 && (
        <Part title="Skills">
          <Stack gap={6}>
            {skills.map((skill) => (
              <Group key={skill.object_id} gap={6} justify="space-between" wrap="nowrap">
                <Text size="sm" className={classes.cut}>
                  {skill.name}
                </Text>
                {skill.proposed && <Badge color="violet">proposed</Badge>}
              </Group>
            ))}
          </Stack>
        </Part>
      )}
      {codeSession && <FileNotes codeSession={codeSession} agent={agent} />}
    </Stack>
  );
}

function FileNotes({ codeSession, agent }: { codeSession: string; agent: string | undefined }) {
  const files = useQuery({
    queryKey: ['code-files', codeSession, agent ?? ''],
    queryFn: async () => {
      const response = await fetchRaw(`/files/list?session_id=${codeSession}`, { headers: through(agent) });
      return ((await response.json()) as { files: SessionFile[] }).files;
    },
    retry: false,
  });
  if (!files.isError && !files.data?.length) return null;
  return (
    <Part title="Files">
      {files.isError ? (
        <Text size="sm" c="dimmed">
          The files are gone: the server keeps them only for a while.
        </Text>
      ) : (
        <Files files={files.data ?? []} session={codeSession} agent={agent} />
      )}
    </Part>
  );
}
