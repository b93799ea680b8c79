/** Every conversation one can see, and the way into a new one. */
import { Badge, Button, Group, SegmentedControl, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMessagePlus, IconMessages } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { meQuery } from '@/api/queries';
import { useNames } from '@/components/names';
import { Empty, Loaded, Page } from '@/components/page';
import { AgentPicker } from '@/components/pickers';
import { reviews } from '@/components/roles';
import { Ago, counted } from '@/components/time';
import { NewConversation } from './NewConversation';
import { OutcomeBadge } from './OutcomeBadge';
import { type Session, sessionsQuery } from './queries';
import { outcomes, type SessionSearch } from './search';
import classes from './sessions.module.css';

const route = getRouteApi('/shell/conversations');

const labels: Record<(typeof outcomes)[number], string> = {
  open: 'Going on',
  succeeded: 'Succeeded',
  failed: 'Failed',
  abandoned: 'Abandoned',
};

export default function ConversationsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/conversations' });
  const [making, { open, close }] = useDisclosure();
  const me = useQuery(meQuery).data?.user;
  const list = useInfiniteQuery({ ...sessionsQuery(search, me?.id ?? ''), enabled: Boolean(me) });
  const narrow = (change: SessionSearch) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const filtered = Boolean(search.agent || search.outcome || search.who);
  // Nothing is there to be filtered.
  const nothing = list.data?.pages[0]?.items.length === 0 && !filtered;
  const begin = (
    <Button variant="filled" leftSection={<IconMessagePlus size={18} />} onClick={open}>
      New conversation
    </Button>
  );
  return (
    <Page
      title="Conversations"
      description="What agents did for people: messages, tool calls, and the skills they saved and used. You can try things here yourself."
      actions={begin}
    >
      <Group gap="sm" mb="md" align="flex-end">
        {me && reviews(me) && (
          <SegmentedControl
            aria-label="Whose"
            value={search.who ?? 'mine'}
            onChange={(value) => narrow({ who: value === 'all' ? 'all' : undefined })}
            data={[
              { value: 'mine', label: 'Mine' },
              { value: 'all', label: 'Everyone’s' },
            ]}
          />
        )}
        {!nothing && (
          <>
            <AgentPicker
              aria-label="Agent"
              w={{ base: '100%', xs: 200 }}
              value={search.agent ?? null}
              onChange={(agent) => narrow({ agent: agent ?? undefined })}
            />
            <Select
              aria-label="Outcome"
              placeholder="Any outcome"
              clearable
              clearButtonProps={{ 'aria-label': 'Clear' }}
              w={{ base: '100%', xs: 180 }}
              value={search.outcome ?? null}
              onChange={(outcome) => narrow({ outcome: outcomes.find((word) => word === outcome) })}
              data={outcomes.map((value) => ({ value, label: labels[value] }))}
            />
          </>
        )}
      </Group>
      <Loaded query={list}>
        {({ pages }) => {
          const sessions = pages.flatMap((page) => page.items as Session[]);
          if (sessions.length === 0)
            return filtered ? (
              <Empty
                icon={IconMessages}
                title="No conversation fits"
                actions={
                  <Button component={Link} to="/conversations">
                    Show all of mine
                  </Button>
                }
              >
                None was through this agent, or ended like this.
              </Empty>
            ) : (
              <NoneYet begin={begin} />
            );
          return (
            <>
              <ul className={classes.sessions} aria-label="Conversations">
                {sessions.map((session) => (
                  <Row key={session.id} session={session} all={search.who === 'all'} />
                ))}
              </ul>
              {list.hasNextPage && (
                <Button
                  mt="sm"
                  fullWidth
                  variant="subtle"
                  loading={list.isFetchingNextPage}
                  onClick={() => void list.fetchNextPage()}
                >
                  Show more
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
      <NewConversation opened={making} onClose={close} />
    </Page>
  );
}

function Row({ session, all }: { session: Session; all: boolean }) {
  const names = useNames();
  const facts = [
    all ? names.user(session.user_id) : '',
    session.agent_id ? names.agent(session.agent_id) : 'no agent',
    session.source ?? '',
    counted(session.entry_count, 'entry', 'entries'),
  ].filter(Boolean);
  return (
    <li>
      <Link to="/conversations/$sessionId" params={{ sessionId: session.id }} className={classes.session}>
        <div className={classes.grow}>
          <Text fw={570} className={classes.cut}>
            {session.title || 'Untitled'}
          </Text>
          <Text size="sm" c="dimmed" className={classes.cut}>
            {facts.join(' · ')}
          </Text>
        </div>
        <Group gap="sm" wrap="nowrap" className={classes.fixed}>
          <OutcomeBadge outcome={session.outcome} />
          <Ago at={session.updated_at} size="sm" c="dimmed" className={classes.when} />
        </Group>
      </Link>
    </li>
  );
}

function NoneYet({ begin }: { begin: React.ReactNode }) {
  return (
    <Empty icon={IconMessages} title="No conversations yet" actions={begin}>
      Agents that are connected keep what they do here, by themselves. Or begin one: run code, search for
      skills, use them, and save what works with <Badge color="gray">/save</Badge>.
    </Empty>
  );
}
