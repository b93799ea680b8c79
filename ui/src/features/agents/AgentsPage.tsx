import { Badge, Button, Group, Stack, Text, ThemeIcon, Tooltip } from '@mantine/core';
import { IconPlus, IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { agentsQuery } from '@/api/queries';
import { Empty, Loaded, Page } from '@/components/page';
import { useStanding } from '@/components/standing';
import { counted } from '@/components/time';
import classes from './agents.module.css';
import type { Agent } from './draft';
import { discoveryModes } from './words';

export default function AgentsPage() {
  const agents = useQuery(agentsQuery);
  const { admin } = useStanding();
  const create = admin ? (
    <Button component={Link} to="/agents/new" variant="filled" leftSection={<IconPlus size={18} />}>
      New agent
    </Button>
  ) : null;
  return (
    <Page
      title="Agents"
      description="Each has its own memory, its own way to discover skills, and the skills you assign to it."
      actions={agents.data?.length ? create : null}
    >
      <Loaded query={agents}>
        {(items) =>
          items.length === 0 ? (
            <Empty icon={IconRobot} title="No agents yet" actions={create}>
              An agent keeps settings, assigned skills and limits apart from yours. What it learns belongs to
              it and to the person it works for. A host can also be connected without one; it then acts as
              you.
              {!admin && ' Admins make agents.'}
            </Empty>
          ) : (
            <Stack gap="xs" component="ul" className={classes.list} aria-label="Agents">
              {items.map((agent) => (
                <Row key={agent.id} agent={agent} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

function Row({ agent }: { agent: Agent }) {
  const remembers = agent.procedural_memory?.enabled ?? false;
  const mode = discoveryModes.find(({ value }) => value === agent.discovery);
  return (
    <li>
      <Link to="/agents/$agentId" params={{ agentId: agent.id }} className={classes.row}>
        <ThemeIcon size={38} radius="md" variant="light" aria-hidden>
          <IconRobot size={22} stroke={1.6} />
        </ThemeIcon>
        <div className={classes.main}>
          <Group gap="xs" wrap="nowrap">
            <Text fw={600} truncate>
              {agent.title || agent.name}
            </Text>
            <Text size="sm" c="dimmed" ff="monospace" truncate>
              {agent.name}
            </Text>
          </Group>
          <Text size="sm" c="dimmed" lineClamp={1}>
            {agent.description || 'No description'}
          </Text>
        </div>
        <Group gap={6} className={classes.marks}>
          <Badge color={remembers ? 'green' : 'gray'}>{remembers ? 'Memory on' : 'Memory off'}</Badge>
          <Tooltip label={mode?.about ?? agent.discovery}>
            <Badge color="gray" variant="default">
              {mode?.label ?? agent.discovery}
            </Badge>
          </Tooltip>
          <Text size="sm" c="dimmed" className={classes.count}>
            {agent.skills.length > 0 ? `${counted(agent.skills.length, 'skill')} assigned` : 'None assigned'}
          </Text>
        </Group>
      </Link>
    </li>
  );
}
