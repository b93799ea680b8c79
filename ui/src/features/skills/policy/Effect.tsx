/** What a change of the policy would do: for each agent, and to the calls that were recorded. */
import {
  Alert,
  Badge,
  Button,
  Code,
  Group,
  List,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { AppLink } from '@/components/AppLink';
import { VerdictBadge } from '@/components/badges';
import { failed } from '@/components/feedback';
import { Failure, ListSkeleton } from '@/components/page';
import { beginningOf, spans } from '@/components/spans';
import { Ago, counted } from '@/components/time';
import { type Analysed, analysisQuery, replay, type Wanted } from './drafts';

type Props = { skill: Schemas['SkillDetailView']; sidecar: string; changed: boolean };

export function Effect({ skill, sidecar, changed }: Props) {
  const [remove, setRemove] = useState(false);
  const wanted: Wanted = { skill, sidecar, remove };
  const analysed = useQuery(analysisQuery(wanted));
  return (
    <Paper withBorder p="md" radius="md" component="section" aria-label="What would this change">
      <Title order={2} size="h5" mb="xs">
        What would this change
      </Title>
      <SegmentedControl
        fullWidth
        size="xs"
        mb="sm"
        aria-label="Which change"
        value={remove ? 'remove' : 'edit'}
        onChange={(which) => setRemove(which === 'remove')}
        data={[
          { value: 'edit', label: changed ? 'Your change' : 'As it stands' },
          { value: 'remove', label: 'Without this policy' },
        ]}
      />
      {analysed.error ? (
        <Failure error={analysed.error} retry={() => void analysed.refetch()} />
      ) : analysed.data ? (
        <Found analysed={analysed.data} />
      ) : (
        <ListSkeleton rows={3} height={40} />
      )}
      <Replayed key={`${sidecar} ${remove}`} wanted={wanted} />
    </Paper>
  );
}

function Found({ analysed: { analysis, refused } }: { analysed: Analysed }) {
  if (!analysis) {
    return (
      <Alert color="red" p="xs">
        It cannot be put in force like this: {refused}
      </Alert>
    );
  }
  const quiet = analysis.agents.every(
    (agent) => agent.newly_denied.length + agent.newly_allowed.length + agent.changes.length === 0,
  );
  return (
    <Stack gap="sm">
      {analysis.remarks.map((remark) => (
        <Alert
          key={remark.code + remark.message}
          color={remark.level === 'warning' ? 'yellow' : 'blue'}
          p="xs"
        >
          <Text size="sm">{remark.message}</Text>
        </Alert>
      ))}
      {quiet && (
        <Text size="sm" c="dimmed">
          Nothing, for no agent: what is in force already says the same.
        </Text>
      )}
      {!quiet && analysis.agents.map((agent) => <AgentChanges key={agent.agent_id ?? ''} of={agent} />)}
    </Stack>
  );
}

function AgentChanges({ of }: { of: Schemas['AgentChangesView'] }) {
  const empty = of.newly_denied.length + of.newly_allowed.length + of.changes.length === 0;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {of.agent ?? 'Without an agent'}
      </Text>
      {empty && (
        <Text size="sm" c="dimmed">
          No change.
        </Text>
      )}
      <Stack gap={6}>
        {of.newly_denied.map(({ tool, reason }) => (
          <div key={tool}>
            <Group gap={6}>
              <Badge color="red">No longer</Badge>
              <Code>{tool}</Code>
            </Group>
            <Text size="xs" c="dimmed">
              {reason}
            </Text>
          </div>
        ))}
        {of.newly_allowed.map((tool) => (
          <Group gap={6} key={tool}>
            <Badge color="green">Now allowed</Badge>
            <Code>{tool}</Code>
          </Group>
        ))}
      </Stack>
      {of.changes.length > 0 && (
        <List size="sm" mt={6} spacing={2}>
          {of.changes.map((change) => (
            <List.Item key={change}>{change}</List.Item>
          ))}
        </List>
      )}
    </div>
  );
}

function Replayed({ wanted }: { wanted: Wanted }) {
  const [span, setSpan] = useState<string>('7d');
  const again = useMutation({ mutationFn: () => replay(wanted, beginningOf(span)), onError: failed });
  return (
    <Stack gap="xs" mt="md">
      <Title order={3} size="h6">
        Recorded calls, judged again
      </Title>
      <Group gap="xs" align="flex-end">
        <Select
          size="xs"
          flex={1}
          aria-label="Which calls"
          allowDeselect={false}
          data={[
            ...Object.entries(spans).map(([value, { label }]) => ({ value, label })),
            { value: 'all', label: 'The newest 1,000' },
          ]}
          value={span}
          onChange={(now) => now && setSpan(now)}
        />
        <Button
          size="xs"
          leftSection={<IconHistory size={14} />}
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          Judge again
        </Button>
      </Group>
      {again.data && <Differences of={again.data} />}
    </Stack>
  );
}

function Differences({ of }: { of: Schemas['ReplayView'] }) {
  return (
    <Stack gap="xs" role="status">
      <Text size="sm">
        {counted(of.replayed, 'call')} judged again; {of.unchanged} come out the same
        {of.differences.length > 0 && `, ${of.differences.length + of.more_differences} do not`}.
        {of.skipped > 0 && ` ${of.skipped} could not be: of them only digests are kept.`}
      </Text>
      {of.differences.map((one) => (
        <div key={one.decision_id}>
          <Group gap={6}>
            <VerdictBadge allowed={one.before.allowed} />
            <Text size="sm">to</Text>
            <VerdictBadge allowed={one.after.allowed} />
            <AppLink to="/governance/decisions" search={{ decision: one.decision_id }} size="sm" fw={550}>
              {one.tool}
            </AppLink>
            <Ago at={one.at} size="xs" c="dimmed" />
          </Group>
          <Text size="xs" c="dimmed" ff="monospace" lineClamp={2}>
            {one.arguments ? JSON.stringify(one.arguments) : ''}
          </Text>
          {one.after.metadata && (
            <Text size="xs" c="dimmed">
              {one.after.metadata.denial_reason}
            </Text>
          )}
        </div>
      ))}
      {of.more_differences > 0 && (
        <Text size="sm" c="dimmed">
          And {of.more_differences} more.
        </Text>
      )}
    </Stack>
  );
}
