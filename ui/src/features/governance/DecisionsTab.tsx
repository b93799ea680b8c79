/** The log of decisions: what was asked, what was decided, by which policies. */
import { Button, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { VerdictBadge } from '@/components/badges';
import list from '@/components/list.module.css';
import { type Names, useNames } from '@/components/names';
import { Older } from '@/components/Older';
import { Empty, Failure, ListSkeleton } from '@/components/page';
import { Ago } from '@/components/time';
import { DecisionDrawer } from './DecisionDrawer';
import { DecisionFilters } from './DecisionFilters';
import classes from './governance.module.css';
import { type Decision, decisionsQuery } from './queries';
import type { DecisionSearch } from './search';
import { argumentsInShort, causeLabel } from './words';

export default function DecisionsTab() {
  const search = useSearch({ from: '/shell/governance/decisions' });
  const navigate = useNavigate();
  const names = useNames();
  const decisions = useInfiniteQuery(decisionsQuery(search));
  const go = (change: DecisionSearch) =>
    void navigate({ to: '/governance/decisions', search: { ...search, ...change } });
  const items = decisions.data?.pages.flatMap((page) => page.items) ?? [];
  const { decision: open, ...filters } = search;
  const filtered = Object.values(filters).some(Boolean);

  // Nothing is there to be filtered.
  const nothing = decisions.isSuccess && items.length === 0 && !filtered;

  return (
    <Stack gap="md">
      {!nothing && <DecisionFilters search={search} onChange={go} />}
      {decisions.error && items.length === 0 ? (
        <Failure error={decisions.error} retry={() => void decisions.refetch()} />
      ) : decisions.isPending ? (
        <ListSkeleton />
      ) : items.length === 0 ? (
        <Nothing
          filtered={filtered}
          clear={() => void navigate({ to: '/governance/decisions', search: {} })}
        />
      ) : (
        <div>
          <ul className={`${list.framed} ${classes.list}`} aria-label="Decisions">
            {items.map((decision) => (
              <li key={decision.id}>
                <Row decision={decision} names={names} onOpen={() => go({ decision: decision.id })} />
              </li>
            ))}
          </ul>
          <Older query={decisions} />
        </div>
      )}
      <DecisionDrawer id={open} onClose={() => go({ decision: undefined })} />
    </Stack>
  );
}

function Row({ decision, names, onOpen }: { decision: Decision; names: Names; onOpen: () => void }) {
  const who = [names.who(decision.user_id, decision.agent_id), !decision.agent_id && decision.host]
    .filter(Boolean)
    .join(' through ');
  return (
    <UnstyledButton className={classes.pick} onClick={onOpen}>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <div className={classes.verdict}>
          <VerdictBadge allowed={decision.allowed} />
        </div>
        <div className={classes.grow}>
          <Text size="sm" truncate>
            {decision.tool ? (
              <>
                <b>{decision.tool}</b>{' '}
                <Text span ff="monospace" size="xs" c="dimmed">
                  {decision.arguments ? argumentsInShort(decision.arguments) : ''}
                </Text>
              </>
            ) : (
              decision.task || 'Which policies are active'
            )}
          </Text>
          <Text size="xs" c="dimmed" lineClamp={2}>
            {about(decision)}
          </Text>
        </div>
        <Stack gap={0} align="flex-end" className={classes.who}>
          <Ago at={decision.at} size="xs" c="dimmed" />
          <Text size="xs" c="dimmed" ta="right" visibleFrom="sm">
            {who}
          </Text>
        </Stack>
      </Group>
    </UnstyledButton>
  );
}

function about(decision: Decision): string {
  if (decision.allowed === false) {
    const cause = decision.cause ? `${causeLabel(decision.cause)}: ` : '';
    return `${cause}${decision.reason ?? decision.denied_by.join(', ')}`;
  }
  if (decision.policies.length === 0) return 'No policy was active';
  return `Active: ${decision.policies.map(({ id }) => id).join(', ')}`;
}

function Nothing({ filtered, clear }: { filtered: boolean; clear: () => void }) {
  if (filtered) {
    return (
      <Empty
        icon={IconListDetails}
        title="No decision fits"
        actions={<Button onClick={clear}>Clear filters</Button>}
      />
    );
  }
  return (
    <Empty icon={IconListDetails} title="Nothing was decided yet">
      Each time an agent asks which policies hold, or whether it may call a tool, the decision is kept here
      with its reasons. Coding agents ask through their hooks (<code>repertoire hook install</code>), your own
      agents over HTTP. You see your own decisions; admins and policy admins see all.
    </Empty>
  );
}
