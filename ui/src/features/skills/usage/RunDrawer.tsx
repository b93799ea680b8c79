/** One run: who, which revision, with what, how it ended and what it used. */
import { Alert, Badge, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconGauge } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api, call, type Schemas } from '@/api/client';
import { DetailDrawer, FactTable, Json, Part, RevisionLink } from '@/components/detail';
import { useNames } from '@/components/names';
import { Loaded } from '@/components/page';
import { bytes, duration, moment } from '@/components/time';
import { errorWords, limitWords } from '../code/words';

export function RunDrawer({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  return (
    <DetailDrawer title="Run" id={id} onClose={onClose}>
      {(shown) => <Shown id={shown} />}
    </DetailDrawer>
  );
}

function Shown({ id }: { id: string }) {
  const run = useQuery({
    queryKey: ['runs', 'one', id],
    queryFn: () => call(api.GET('/api/v1/runs/{id}', { params: { path: { id } } })),
  });
  return <Loaded query={run}>{(known) => <Whole run={known} />}</Loaded>;
}

function Whole({ run }: { run: Schemas['RunView'] }) {
  const names = useNames();
  const rows: [string, string][] = [
    ['Took', duration(run.duration_ms)],
    ['Processor time', run.cpu_ms == null ? 'not measured' : duration(run.cpu_ms)],
    ['Most memory', run.memory_bytes == null ? 'not measured' : bytes(run.memory_bytes)],
    ['Result', bytes(run.result_size)],
  ];
  return (
    <Stack gap="lg" pb="xl">
      <div>
        <Group gap="xs" mb={4}>
          <Badge color={run.status === 'succeeded' ? 'green' : 'red'}>
            {run.status === 'succeeded' ? 'Succeeded' : 'Failed'}
          </Badge>
          <RevisionLink skill={run.skill_id} revision={run.revision} />
        </Group>
        <Text size="sm" c="dimmed">
          {moment(run.started_at)} · {names.who(run.user_id, run.agent_id)}
        </Text>
      </div>
      {run.limits_hit.map((limit) => (
        <Alert key={limit} color="yellow" icon={<IconGauge size={18} />} p="xs">
          {limitWords(limit)}
        </Alert>
      ))}
      {run.error && (
        <Alert
          color="red"
          icon={<IconAlertTriangle size={18} />}
          title={
            run.error.line
              ? `${errorWords(run.error.code)}, line ${run.error.line}`
              : errorWords(run.error.code)
          }
        >
          {run.error.type}: {run.error.message}
        </Alert>
      )}
      <Part title="Parameters">
        <Json value={run.parameters} label="Parameters" />
      </Part>
      <Part title="What it used">
        <FactTable rows={rows} nameWidth="45%" />
      </Part>
      <Part title="Output digest">
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {run.output_digest}
        </Code>
        <Text size="xs" c="dimmed" mt={4}>
          Equal digests mean equal results, errors, output and files. Those themselves are not kept.
        </Text>
      </Part>
    </Stack>
  );
}
