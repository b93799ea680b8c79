/** What is known about a skill beside what it says itself. */
import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { agentsQuery } from '@/api/queries';
import { AppLink } from '@/components/AppLink';
import { originLabel } from '@/components/badges';
import { useNames } from '@/components/names';
import { Ago, bytes, counted, percent } from '@/components/time';
import { Findings } from '../Findings';
import { scopeWords } from '../scopes';
import type { Skill } from '../useSkill';

export function Facts({ skill }: { skill: Skill }) {
  const names = useNames();
  const agents = useQuery(agentsQuery).data ?? [];
  const { statistics: uses, shown } = skill;
  const author = names.user(skill.created_by);
  return (
    <Stack>
      <Card withBorder padding="md">
        <Title order={2} size="h5" mb="sm">
          At a glance
        </Title>
        <Stack gap={8}>
          <Fact name="Seen by">{scopeWords(skill.scope, names)}</Fact>
          <Fact name="Origin">
            {originLabel(skill.origin)}, {author}
            {skill.created_through ? ` through ${names.agent(skill.created_through)}` : ''}
          </Fact>
          <Fact name="Created">
            <Ago at={skill.created_at} size="sm" />
          </Fact>
          {skill.source && <Fact name="Source">{skill.source}</Fact>}
          <Fact name="Files">
            {counted(shown.file_count, 'file')}, {bytes(shown.size)}
          </Fact>
          <Fact name="Used">
            {uses.use_count === 0
              ? 'not yet'
              : `${counted(uses.use_count, 'time')}${uses.execution_count ? `, ${percent(uses.success_rate)} success` : ''}`}
          </Fact>
          <Fact name="Assigned to">
            {skill.agents.length === 0
              ? 'no agent'
              : skill.agents.map((name, at) => {
                  const agent = agents.find((known) => known.name === name);
                  return (
                    <span key={name}>
                      {at > 0 && ', '}
                      {agent ? (
                        <Link to="/agents/$agentId" params={{ agentId: agent.id }}>
                          {agent.title || name}
                        </Link>
                      ) : (
                        name
                      )}
                    </span>
                  );
                })}
          </Fact>
          {skill.created_in && (
            <Fact name="Learned in">
              <Link to="/conversations/$sessionId" params={{ sessionId: skill.created_in }}>
                this conversation
              </Link>
            </Fact>
          )}
        </Stack>
      </Card>
      {skill.findings.length > 0 && (
        <Card withBorder padding="md">
          <Group justify="space-between" mb="sm">
            <Title order={2} size="h5">
              Findings
            </Title>
            <Badge color="yellow">{skill.findings.length}</Badge>
          </Group>
          <Findings of={skill.findings} />
          <AppLink mt="sm" size="sm" to="/skills/$skillId/content" params={{ skillId: skill.id }}>
            Mend them in Content
          </AppLink>
        </Card>
      )}
    </Stack>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group gap="sm" wrap="nowrap" align="baseline">
      <Text size="sm" c="dimmed" w={92} flex="0 0 auto">
        {name}
      </Text>
      <Text size="sm" component="div" miw={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Group>
  );
}
