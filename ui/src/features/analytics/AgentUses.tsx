import { Group, Table, Text } from '@mantine/core';
import type { Schemas } from '@/api/client';
import { AppLink } from '@/components/AppLink';
import { useNames } from '@/components/names';
import { Section } from '@/components/Section';
import { percent } from '@/components/time';

export function AgentUses({ agents }: { agents: Schemas['AgentUsesView'][] }) {
  const names = useNames();
  return (
    <Section title="By agent" about="Through which agents skills were used.">
      {agents.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nobody used a skill.
        </Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Agent</Table.Th>
              <Table.Th ta="right">Uses</Table.Th>
              <Table.Th ta="right">Success</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {agents.map((agent) => (
              <Table.Tr key={agent.agent_id ?? 'people'}>
                <Table.Td>
                  <Group gap="xs">
                    {agent.agent_id && agent.name ? (
                      <AppLink
                        to="/analytics"
                        search={(before) => ({ ...before, agent: agent.agent_id ?? undefined })}
                        size="sm"
                        c="inherit"
                      >
                        {names.agent(agent.agent_id)}
                      </AppLink>
                    ) : (
                      <Text size="sm">
                        {agent.agent_id ? 'An agent that is gone' : 'People, without an agent'}
                      </Text>
                    )}
                  </Group>
                </Table.Td>
                <Table.Td ta="right">{agent.uses.toLocaleString('en')}</Table.Td>
                <Table.Td ta="right">{agent.uses > 0 ? percent(agent.successes / agent.uses) : '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}
