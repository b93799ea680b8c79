/** The library by whose a skill is: the workspace's, an agent's, a person's, or a person's with an agent. */
import { Badge, Box, Group, Text, UnstyledButton } from '@mantine/core';
import {
  IconBuildingCommunity,
  IconChevronRight,
  IconRobot,
  IconUser,
  IconUserCog,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import type { SkillListQuery } from '@/api/queries';
import { Loaded } from '@/components/page';
import { counted } from '@/components/time';
import { ownerOf, useLibrary } from './context';
import classes from './library.module.css';
import { SkillList } from './SkillList';

type Owner = Schemas['SkillGroupView'];

const marks: Record<string, typeof IconUser> = {
  workspace: IconBuildingCommunity,
  agent: IconRobot,
  user: IconUser,
  agent_user: IconUserCog,
};

/** How many sections are open at first: each reads pages of its own. */
const OPEN = 3;

export function Groups({ filter, empty }: { filter: SkillListQuery; empty: ReactNode }) {
  const { sort: _, ...narrowed } = filter;
  const query = useQuery({
    queryKey: ['skills', 'groups', narrowed],
    queryFn: () => call(api.GET('/api/v1/skills/groups', { params: { query: narrowed } })),
  });
  return (
    <Loaded query={query}>
      {({ items }) => {
        if (items.length === 0) return empty;
        const total = items.reduce((sum, { count }) => sum + count, 0);
        return (
          <>
            <Text size="sm" c="dimmed" mb="xs" role="status">
              {counted(total, 'skill')} of {counted(items.length, 'owner')}
            </Text>
            {items.map((owner, at) => (
              <Section
                key={`${owner.scope} ${owner.agent_id} ${owner.user_id}`}
                owner={owner}
                filter={filter}
                first={at < OPEN}
              />
            ))}
          </>
        );
      }}
    </Loaded>
  );
}

function Section({ owner, filter, first }: { owner: Owner; filter: SkillListQuery; first: boolean }) {
  const library = useLibrary();
  const [open, setOpen] = useState(first);
  const id = useId();
  const Mark = marks[owner.scope] ?? IconUser;
  const name = ownerOf(
    { scope: { kind: owner.scope, agent_id: owner.agent_id, user_id: owner.user_id } },
    library,
  );
  return (
    <Box component="section" mb="sm" aria-label={name}>
      <h2 className={classes.groupHead}>
        <UnstyledButton
          className={classes.group}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          <Group gap="xs" wrap="nowrap">
            <IconChevronRight size={16} className={classes.turn} data-quarter={open || undefined} />
            <Mark size={18} stroke={1.7} />
            <Text fw={600} truncate>
              {name}
            </Text>
            <Badge color="gray" aria-label={counted(owner.count, 'skill')}>
              {owner.count.toLocaleString('en')}
            </Badge>
          </Group>
        </UnstyledButton>
      </h2>
      <div id={id}>
        {open && (
          <SkillList
            filter={{
              ...filter,
              scope: owner.scope,
              agent: owner.agent_id ?? undefined,
              user: owner.user_id ?? undefined,
            }}
            label={`Skills of ${name}`}
            empty={
              <Text size="sm" c="dimmed" px="sm">
                None any more.
              </Text>
            }
          />
        )}
      </div>
    </Box>
  );
}
