/** The policies in force, for everybody or as one agent meets them. */
import { Alert, Badge, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { IconFlask, IconShieldHalf } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { AppLink } from '@/components/AppLink';
import { ButtonLink } from '@/components/ButtonLink';
import { scopeLabel } from '@/components/badges';
import { type Names, useNames } from '@/components/names';
import { Empty, Loaded } from '@/components/page';
import { AgentPicker } from '@/components/pickers';
import { counted } from '@/components/time';
import { alwaysQuery, type PolicyState, policiesQuery } from './queries';

export default function PoliciesTab() {
  const { agent } = useSearch({ from: '/shell/governance/' });
  const navigate = useNavigate();
  const policies = useQuery(policiesQuery(agent));
  const always = useQuery(alwaysQuery(agent)).data;
  const names = useNames();
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end">
        <AgentPicker
          label="As this agent meets them"
          placeholder="All policies"
          w={280}
          value={agent ?? null}
          onChange={(id) => void navigate({ to: '/governance', search: { agent: id ?? undefined } })}
        />
        <ButtonLink to="/governance/bench" search={{ agent }} leftSection={<IconFlask size={16} />}>
          Ask what would be decided
        </ButtonLink>
      </Group>
      <Loaded query={policies}>
        {({ items }) =>
          items.length === 0 ? (
            <NoPolicies />
          ) : (
            <Stack gap="xs">
              <Text size="sm" c="dimmed">
                {counted(items.length, 'policy', 'policies')} in force. All that are active for a task hold
                together: each can only narrow what the others leave.
              </Text>
              {[...items]
                .sort((one, other) => other.priority - one.priority || one.id.localeCompare(other.id))
                .map((policy) => (
                  <PolicyRow key={policy.skill_id} policy={policy} always={always} names={names} />
                ))}
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  );
}

type RowProps = { policy: PolicyState; always: Map<string, boolean> | undefined; names: Names };

function PolicyRow({ policy, always, names }: RowProps) {
  const active = always?.get(policy.id);
  const owner = [names.agent(policy.agent_id), names.user(policy.user_id)].filter(Boolean).join(' and ');
  return (
    <Paper withBorder p="md" radius="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <AppLink to="/skills/$skillId/policy" params={{ skillId: policy.skill_id }} fw={600}>
            {policy.name}
          </AppLink>
          <Text size="sm" c="dimmed" component="div">
            <Code>{policy.id}</Code> · revision {policy.revision} · priority {policy.priority}
          </Text>
        </div>
        <Group gap={6}>
          {policy.group && <Badge color="gray">{policy.group}</Badge>}
          <Badge color="gray" variant="default">
            {policy.scope === 'workspace' ? 'Everybody' : `${scopeLabel(policy.scope)}: ${owner}`}
          </Badge>
          {policy.broken && <Badge color="red">Broken</Badge>}
          {!policy.broken && active !== undefined && (
            <Badge color={active ? 'green' : 'blue'}>
              {active ? 'Active whatever the task' : 'Active when its conditions are met'}
            </Badge>
          )}
        </Group>
      </Group>
      {policy.broken && (
        <Alert color="red" mt="sm" p="xs">
          It cannot be read, so it denies every call: {policy.broken}
        </Alert>
      )}
      <Group gap="md" mt="xs">
        <AppLink to="/governance/decisions" search={{ policy: policy.skill_id }} size="sm">
          Decisions while it was active
        </AppLink>
      </Group>
    </Paper>
  );
}

function NoPolicies() {
  return (
    <Empty
      icon={IconShieldHalf}
      title="No policy is in force here"
      actions={
        <ButtonLink variant="filled" to="/skills/new">
          New skill
        </ButtonLink>
      }
    >
      <Text inherit>
        A policy says which tools an agent may call, with which arguments, and how long it may go on. It is a
        facet of a skill, so it has revisions and waits for approval like any other. Make a skill such as{' '}
        <Code>careful-coder</Code> and open its Policy tab; policy admins write there what holds. Until then
        every call is allowed, and recorded.
      </Text>
    </Empty>
  );
}
