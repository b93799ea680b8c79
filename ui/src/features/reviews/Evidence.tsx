/** Where a skill comes from and how it has done: what a decision stands on. */
import { Alert, Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconArrowUpRight, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, call } from '@/api/client';
import { scopeLabel } from '@/components/badges';
import { useNames } from '@/components/names';
import { Ago, counted, percent } from '@/components/time';
import classes from './review.module.css';
import { type Detail, Section } from './SkillContent';

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Evidence({ skill }: { skill: Detail }) {
  const names = useNames();
  const { statistics } = skill;
  const owner = [names.agent(skill.scope.agent_id), names.user(skill.scope.user_id)]
    .filter(Boolean)
    .join(' & ');
  return (
    <Section title="Evidence">
      <Stack gap="sm">
        {skill.promotion && (
          <Alert
            color="blue"
            variant="light"
            icon={<IconArrowUpRight size={18} />}
            title="Promotion asked for"
          >
            From {scopeLabel(skill.scope.kind).toLowerCase()} ({owner || 'shared'}) to{' '}
            {scopeLabel(skill.promotion.kind).toLowerCase()}: everyone there could use it.
          </Alert>
        )}
        {skill.status_reason && (
          <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} />} title="Said before">
            {skill.status_reason}
          </Alert>
        )}
        <dl className={classes.facts}>
          <Fact name="Proposed by">
            {names.user(skill.created_by)}
            {skill.created_through && (
              <Text span c="dimmed" size="sm">
                {' '}
                through {names.agent(skill.created_through)}
              </Text>
            )}
          </Fact>
          <Fact name="For">
            {scopeLabel(skill.scope.kind)}
            {owner && (
              <Text span c="dimmed" size="sm">
                {' '}
                {owner}
              </Text>
            )}
          </Fact>
          {skill.created_in && (
            <Fact name="Came from">
              <Conversation id={skill.created_in} />
            </Fact>
          )}
          {skill.source && <Fact name="Imported from">{skill.source}</Fact>}
          <Fact name="Revision">
            {skill.shown.number} by {names.user(skill.shown.author_id)},{' '}
            <Ago at={skill.shown.created_at} span size="sm" />
          </Fact>
          {skill.shown.message && <Fact name="Message">{skill.shown.message}</Fact>}
          <Fact name="Used so far">
            {statistics.use_count === 0
              ? 'never'
              : `${counted(statistics.use_count, 'time')}, ${percent(statistics.success_rate)} with success`}
          </Fact>
          {skill.suggested_tools.length > 0 && (
            <Fact name="Wants tools">{skill.suggested_tools.join(', ')}</Fact>
          )}
          {skill.allowed_tools && <Fact name="Allowed tools">{skill.allowed_tools}</Fact>}
        </dl>
        {skill.example_prompts.length > 0 && (
          <div>
            <Text size="xs" c="dimmed" mb={4}>
              Meant for requests such as
            </Text>
            <ul className={classes.words}>
              {skill.example_prompts.map((prompt) => (
                <li key={prompt}>“{prompt}”</li>
              ))}
            </ul>
          </div>
        )}
        <Findings skill={skill} />
      </Stack>
    </Section>
  );
}

function Conversation({ id }: { id: string }) {
  const session = useQuery({
    queryKey: ['sessions', 'one', id],
    queryFn: () => call(api.GET('/api/v1/sessions/{id}', { params: { path: { id } } })),
    retry: false,
  });
  if (session.isError) return <>a session that is gone or not yours</>;
  return (
    <Anchor component={Link} to={`/conversations/${id}`} size="sm">
      {session.data?.title || 'the session it was made in'}
    </Anchor>
  );
}

function Findings({ skill }: { skill: Detail }) {
  if (skill.findings.length === 0)
    return (
      <Group gap={6} wrap="nowrap" align="flex-start">
        <IconCircleCheck
          size={16}
          color="var(--mantine-color-teal-7)"
          aria-hidden
          className={classes.check}
        />
        <Text size="sm">Well formed: the checks found nothing. What its files do is for you to read.</Text>
      </Group>
    );
  return (
    <Stack gap={6}>
      {skill.findings.map((finding, at) => (
        <Group key={at} gap="xs" wrap="nowrap" align="flex-start">
          <Badge color={finding.level === 'error' ? 'red' : 'yellow'} className={classes.fixed}>
            {finding.level}
          </Badge>
          <Text size="sm">
            {finding.message}
            {finding.file && (
              <Text span size="sm" c="dimmed">
                {' '}
                {finding.file}
                {finding.line ? `:${finding.line}` : ''}
              </Text>
            )}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
