/** Calling a procedure: its parameters, Run or Try, what comes of it, and whether it repeats. */
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import {
  IconEqual,
  IconFlask,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, call, fetchRaw, type Schemas } from '@/api/client';
import { refresh, sandboxQuery } from '@/api/queries';
import { failed } from '@/components/feedback';
import { attemptOf, type Procedure } from './attempt';
import { useExecution } from './execution';
import { Outcome } from './Outcome';
import { ParameterForm } from './ParameterForm';
import { type Fields, readFields, rememberFields, type Values } from './parameters';

type Props = {
  skill: Schemas['SkillDetailView'];
  procedure: Procedure;
  code: string;
  /** Whether `procedure` and `code` are what is saved. */
  saved: boolean;
  fields: Fields;
  setFields: (fields: Fields) => void;
  /** Tells of the error of the last execution, and of none when another begins. */
  onError: (error: { line: number; message: string } | null) => void;
};

/** How often Check repeats a run. */
const TIMES = 5;

export function RunPanel({ skill, procedure, code, saved, fields, setFields, onError }: Props) {
  const { execution, start, stop } = useExecution();
  const [problems, setProblems] = useState<Record<string, string>>({});
  const session = useRef<string>(undefined);
  const sandbox = useQuery(sandboxQuery).data;
  const runs = saved && skill.usable;
  const busy = execution.phase === 'waiting' || execution.phase === 'running';

  const read = (): Values | null => {
    const now = readFields(procedure.parameters, fields);
    setProblems(now.problems);
    return Object.keys(now.problems).length > 0 ? null : now.values;
  };
  const leaveSession = () => {
    const id = session.current;
    session.current = undefined;
    // A session that is gone already is just as well.
    if (id) void fetchRaw(`/code/sessions/${id}`, { method: 'DELETE' }).catch(() => undefined);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the panel goes
  useEffect(() => leaveSession, []);

  const execute = async () => {
    const values = read();
    if (!values || busy || sandbox?.available === false) return;
    check.reset();
    onError(null);
    leaveSession();
    const outcome = runs
      ? await start({ kind: 'run', path: `/api/v1/skills/${skill.id}/runs`, body: { parameters: values } })
      : await start({ kind: 'try', path: '/code/execute', body: attemptOf(procedure, code, values) });
    if (outcome?.kind === 'try') session.current = outcome.ran.session_id;
    const error = outcome?.ran.error;
    if (error?.line) onError({ line: error.line, message: `${error.type}: ${error.message}` });
    if (outcome?.kind === 'run') void refresh('runs', 'skills');
  };
  const check = useMutation({
    mutationFn: (values: Values) =>
      call(
        api.POST('/api/v1/skills/{id}/runs/check', {
          params: { path: { id: skill.id } },
          body: { times: TIMES, parameters: values as Record<string, never>, include_files: false },
        }),
      ),
    onError: failed,
    onSettled: () => refresh('runs', 'skills'),
  });
  useHotkeys([['mod+Enter', () => void execute()]], [], true);

  return (
    <Stack gap="md">
      <Title order={2} size="h5">
        {runs ? 'Run it' : 'Try it'}
      </Title>
      {sandbox && !sandbox.available && (
        <Alert color="yellow" icon={<IconPlugConnectedX size={18} />} title="Code cannot run on this server">
          {sandbox.reason}
        </Alert>
      )}
      {!runs && (
        <Text size="sm" c="dimmed">
          {saved
            ? 'Only active skills run, and this one is not. A try executes its code once: it is not counted and nothing of it is kept.'
            : 'Your changes are not saved. A try executes the code as it stands in the editor: it is not counted and nothing of it is kept.'}
        </Text>
      )}
      <ParameterForm
        parameters={procedure.parameters}
        fields={fields}
        problems={problems}
        onChange={(now) => {
          setFields(now);
          rememberFields(skill.id, now);
          if (Object.keys(problems).length > 0) setProblems(readFields(procedure.parameters, now).problems);
        }}
      />
      <Group gap="xs">
        {busy ? (
          <Button color="red" variant="light" leftSection={<IconPlayerStop size={16} />} onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button
            variant="filled"
            title="Ctrl-Enter"
            leftSection={runs ? <IconPlayerPlay size={16} /> : <IconFlask size={16} />}
            disabled={sandbox?.available === false}
            onClick={() => void execute()}
          >
            {runs ? 'Run' : 'Try'}
          </Button>
        )}
        {runs && (
          <Button
            leftSection={<IconEqual size={16} />}
            loading={check.isPending}
            disabled={busy || sandbox?.available === false}
            onClick={() => {
              const values = read();
              if (values) check.mutate(values);
            }}
          >
            Check that it repeats
          </Button>
        )}
      </Group>
      {check.data && <Repeats found={check.data} />}
      <Outcome execution={execution} />
    </Stack>
  );
}

function Repeats({ found }: { found: Schemas['DeterminismView'] }) {
  if (found.deterministic) {
    return (
      <Alert color="green" icon={<IconEqual size={18} />} title="It repeats" role="status">
        {found.times} runs with these parameters gave back the same, to the byte.
      </Alert>
    );
  }
  return (
    <Alert color="yellow" icon={<IconEqual size={18} />} title="It does not repeat" role="status">
      {found.times} runs with these parameters gave back {found.output_digests.length} different things.
      {found.first_difference ? ` First difference: ${found.first_difference}` : ''}
    </Alert>
  );
}
