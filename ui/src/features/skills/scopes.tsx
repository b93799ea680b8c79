/** Who sees a skill: said in words, and chosen. */
import { Input, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { meQuery } from '@/api/queries';
import { scopeLabel } from '@/components/badges';
import type { Names } from '@/components/names';
import { AgentPicker, UserPicker } from '@/components/pickers';
import { administers } from '@/components/roles';

/** A scope with the names of its owners. */
export function scopeWords(scope: Schemas['ScopeView'], names: Names): string {
  const agent = names.agent(scope.agent_id);
  const user = names.user(scope.user_id);
  switch (scope.kind) {
    case 'agent':
      return `Agent ${agent}`;
    case 'user':
      return `User ${user}`;
    case 'agent_user':
      return `${agent} with ${user}`;
    default:
      return 'Workspace';
  }
}

export type Scope = { kind: string; agent: string | null; user: string | null };

const about: Record<string, string> = {
  workspace: 'Everybody in the workspace, and every agent.',
  agent: 'Whoever works with this agent.',
  user: 'One person, through any agent.',
  agent_user: 'One person, and only through this agent.',
};

/** Whether the scope names the owners it needs. */
export function isWhole({ kind, agent, user }: Scope): boolean {
  return (!kind.includes('agent') || agent !== null) && (!kind.includes('user') || user !== null);
}

/** The part of a request that says the scope. */
export function scopeBody({ kind, agent, user }: Scope) {
  return {
    scope: kind,
    agent: kind.includes('agent') ? agent : undefined,
    user: kind.includes('user') ? user : undefined,
  };
}

export function ScopeField({ value, onChange }: { value: Scope; onChange: (scope: Scope) => void }) {
  const me = useQuery(meQuery).data;
  const narrow = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false });
  const admin = me && administers(me.user);
  return (
    <Stack gap="xs">
      <Stack gap={4}>
        <Input.Label labelElement="div" id="scope-label">
          Who can see it
        </Input.Label>
        <SegmentedControl
          aria-labelledby="scope-label"
          fullWidth
          size={narrow ? 'xs' : 'sm'}
          value={value.kind}
          onChange={(kind) =>
            onChange({
              ...value,
              kind,
              user: kind.includes('user') ? (value.user ?? me?.user.id ?? null) : null,
            })
          }
          data={['workspace', 'agent', 'user', 'agent_user'].map((kind) => ({
            value: kind,
            label: scopeLabel(kind),
          }))}
        />
        <Text size="sm" c="dimmed">
          {about[value.kind]}
        </Text>
      </Stack>
      {value.kind !== 'workspace' && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {value.kind.includes('agent') && (
            <AgentPicker
              label="Agent"
              placeholder="Choose an agent"
              required
              value={value.agent}
              onChange={(agent) => onChange({ ...value, agent })}
            />
          )}
          {value.kind.includes('user') && (
            <UserPicker
              label="User"
              placeholder="Choose a person"
              required
              disabled={!admin}
              value={value.user ?? me?.user.id ?? null}
              onChange={(user) => onChange({ ...value, user })}
            />
          )}
        </SimpleGrid>
      )}
    </Stack>
  );
}
