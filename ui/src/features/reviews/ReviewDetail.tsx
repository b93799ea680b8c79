/** One skill that waits: what it stands on, what it is, and the decision. */
import { Badge, Button, Group, Kbd, Menu, Stack, Text, Title, Tooltip } from '@mantine/core';
import {
  IconArrowUpRight,
  IconCheck,
  IconChevronDown,
  IconPencil,
  IconSend,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { agentsQuery, skillQuery } from '@/api/queries';
import { FacetMarks, OriginBadge, scopeLabel } from '@/components/badges';
import { ListSkeleton, Loaded } from '@/components/page';
import { reviews } from '@/components/roles';
import { widerScopes } from '@/components/wider';
import { Changes } from './Changes';
import { type Skill, waits } from './decisions';
import { Evidence } from './Evidence';
import classes from './review.module.css';
import { type Refusal, rightsOf, whatWaits } from './rights';
import { Similar } from './Similar';
import { type Detail, SkillContent } from './SkillContent';
import { News, type Seen, useSeen } from './seen';
import type { Decisions } from './useDecisions';

type Common = { me: Schemas['UserView']; decisions: Decisions };

export function ReviewDetail({ id, seen, ...common }: Common & { id: string; seen: Seen }) {
  const query = useQuery(skillQuery(id));
  return (
    <Loaded query={query} skeleton={<ListSkeleton rows={5} height={72} />}>
      {(now) => <Whole now={now} seen={seen} {...common} />}
    </Loaded>
  );
}

function Whole({ now, seen, ...common }: Common & { now: Detail; seen: Seen }) {
  const { skill, news, look } = useSeen(now, seen);
  return (
    <article className={classes.detail} aria-label={skill.title || skill.name}>
      {news && (
        <div className={classes.news}>
          <News read={skill} now={now} news={news} look={look} />
        </div>
      )}
      <Heading skill={skill} news={news} {...common} />
      <Stack gap="xl" mt="lg">
        <Evidence skill={skill} />
        {skill.shown.number > 1 && <Changes key={`${skill.id}:${skill.shown.number}`} skill={skill} />}
        <SkillContent skill={skill} />
        <Similar skill={skill} />
      </Stack>
    </article>
  );
}

type HeadingProps = Common & { skill: Detail; news: string | null };

function Heading({ skill, news, me, decisions }: HeadingProps) {
  const approver = useApprover(skill);
  const rights = rightsOf(me, skill, approver);
  const refusal = rights.approve ?? (news && `${news}: look at it first`);
  const wider = widerScopes(skill.scope.kind).filter((to) => to !== skill.promotion?.kind);
  const open = waits(skill);
  return (
    <div className={classes.heading}>
      <Group gap="xs" mb={4}>
        <Badge color={skill.status === 'draft' ? 'gray' : 'yellow'}>
          {open ? whatWaits(skill) : 'Decided'}
        </Badge>
        <OriginBadge origin={skill.origin} />
        <FacetMarks of={skill.facets} />
      </Group>
      <Title order={2} className={classes.title}>
        {skill.title || skill.name}
      </Title>
      <Text c="dimmed" mt={4}>
        {skill.description}
      </Text>
      {open && (
        <Group gap="xs" mt="md">
          {(rights.approve === null || reviews(me)) && (
            <Decision refusal={refusal}>
              <Button
                variant="filled"
                color="teal.9"
                leftSection={<IconCheck size={16} />}
                rightSection={<Key name="a" />}
                disabled={refusal !== null}
                onClick={() => void decisions.approve(skill)}
              >
                Approve
              </Button>
            </Decision>
          )}
          {rights.reject === null && (
            <Button
              leftSection={<IconX size={16} />}
              rightSection={<Key name="x" />}
              disabled={news !== null}
              onClick={() => void decisions.reject(skill)}
            >
              Reject
            </Button>
          )}
          {rights.approve !== null && rights.submit === null && (
            <Button
              variant="filled"
              leftSection={<IconSend size={16} />}
              disabled={news !== null}
              onClick={() => void decisions.submit(skill)}
            >
              Submit for review
            </Button>
          )}
          {rights.reject !== null && rights.discard === null && (
            <Button
              leftSection={<IconTrash size={16} />}
              disabled={news !== null}
              onClick={() => void decisions.discard(skill)}
            >
              Discard
            </Button>
          )}
          {wider.length > 0 && rights.promote === null && (
            <Menu>
              <Menu.Target>
                <Button
                  leftSection={<IconArrowUpRight size={16} />}
                  rightSection={<IconChevronDown size={14} />}
                  disabled={news !== null}
                >
                  Promote
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {wider.map((to) => (
                  <Menu.Item key={to} onClick={() => void decisions.promote(skill, to)}>
                    To {scopeLabel(to).toLowerCase()}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
          {rights.edit === null && (
            <Button
              component={Link}
              to={`/skills/${skill.id}/content`}
              variant="subtle"
              leftSection={<IconPencil size={16} />}
            >
              Edit
            </Button>
          )}
        </Group>
      )}
    </div>
  );
}

/** The key that does the same; there is none on a phone. */
function Key({ name }: { name: string }) {
  return (
    <Kbd size="xs" visibleFrom="sm" aria-hidden>
      {name}
    </Kbd>
  );
}

function Decision({ refusal, children }: { refusal: Refusal; children: ReactNode }) {
  if (refusal === null) return children;
  return (
    <Tooltip label={refusal}>
      <span>{children}</span>
    </Tooltip>
  );
}

/** Who may approve, as the agent of the skill's scope wants it. */
export function useApprover(skill: Pick<Skill, 'scope'>): string {
  const agents = useQuery(agentsQuery).data;
  const memory = agents?.find((agent) => agent.id === skill.scope.agent_id)?.procedural_memory;
  return memory?.enabled ? memory.approver : 'owner';
}
