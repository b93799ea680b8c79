/** The page of one skill: what it is, what waits, what can be done with it, and its tabs. */
import { ActionIcon, Code, CopyButton, Group, Switch, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy, IconFileOff } from '@tabler/icons-react';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { ApiError } from '@/api/client';
import { agentsQuery, meQuery, skillQuery } from '@/api/queries';
import { BackLink } from '@/components/BackLink';
import { FacetMarks, OriginBadge, StatusBadge } from '@/components/badges';
import { NotHere } from '@/components/NotHere';
import { useNames } from '@/components/names';
import { Failure, Page, PageSkeleton } from '@/components/page';
import { Ago } from '@/components/time';
import { useLifecycle } from './lifecycle';
import { rightsOf } from './rights';
import { SkillActions } from './SkillActions';
import { SkillIcon } from './SkillIcon';
import classes from './SkillPage.module.css';
import { SkillTabs } from './SkillTabs';
import { scopeWords } from './scopes';
import { type Skill, SkillContext } from './useSkill';
import { Waiting } from './Waiting';

export default function SkillPage() {
  const { skillId = '' } = useParams({ strict: false });
  const query = useQuery(skillQuery(skillId));
  if (query.data) return <Known key={query.data.id} skill={query.data} gone={isGone(query.error)} />;
  if (isGone(query.error)) return <Gone />;
  if (query.error) {
    return (
      <Page title="Skill" width="text">
        <Failure error={query.error} retry={() => void query.refetch()} />
      </Page>
    );
  }
  return <PageSkeleton />;
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 403);
}

function Gone() {
  return (
    <NotHere page="No such skill" icon={IconFileOff} title="This skill is not here">
      It was deleted, belongs to somebody else, or the address is not right.
    </NotHere>
  );
}

function Known({ skill, gone }: { skill: Skill; gone: boolean }) {
  const me = useSuspenseQuery(meQuery).data;
  const names = useNames();
  const agents = useQuery(agentsQuery).data;
  const rights = rightsOf(
    me,
    skill,
    agents?.find(({ id }) => id === skill.scope.agent_id),
  );
  const life = useLifecycle(skill, rights);
  return (
    <SkillContext value={skill}>
      <Page
        title={skill.title}
        above={<BackLink to="/skills">Library</BackLink>}
        icon={<SkillIcon icon={skill.icon} title={skill.title} size={44} mt={2} />}
        aside={
          <Group gap={6}>
            <StatusBadge status={skill.status} enabled={skill.enabled} />
            <OriginBadge origin={skill.origin} />
            <FacetMarks of={skill.facets} />
          </Group>
        }
        description={
          <div className={classes.facts}>
            <Group gap={2} wrap="nowrap">
              <Code>{skill.name}</Code>
              <CopyButton value={skill.name}>
                {({ copied, copy }) => (
                  <ActionIcon size="sm" onClick={copy} aria-label={copied ? 'Copied' : 'Copy the name'}>
                    {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
                  </ActionIcon>
                )}
              </CopyButton>
            </Group>
            <span>{scopeWords(skill.scope, names)}</span>
            <Link to="/skills/$skillId/history" params={{ skillId: skill.id }}>
              Revision {skill.revision}
              {skill.shown.label ? ` (${skill.shown.label})` : ''}
            </Link>
            <Group gap={4}>
              <span>changed</span>
              <Ago at={skill.shown.created_at} fz="sm" span />
              <span>by {names.user(skill.updated_by)}</span>
            </Group>
          </div>
        }
        beside
        actions={
          <>
            <Tooltip
              label={rights.switch ? 'Agents find what is active and on' : 'You may not turn it on or off'}
            >
              <Switch
                label={skill.enabled ? 'On' : 'Off'}
                aria-label="Enabled"
                checked={skill.enabled}
                disabled={!rights.switch || gone}
                onChange={(event) => void life.setEnabled(event.currentTarget.checked)}
              />
            </Tooltip>
            <SkillActions skill={skill} me={me} rights={rights} life={life} />
          </>
        }
      >
        {gone ? (
          <Failure error={new Error('this skill was deleted, or you may no longer see it')} />
        ) : (
          <Waiting skill={skill} rights={rights} life={life} />
        )}
        {rights.why && (
          <Text size="sm" c="dimmed" mb="md">
            {rights.why}
          </Text>
        )}
        <SkillTabs id={skill.id} />
        <Outlet />
      </Page>
    </SkillContext>
  );
}
