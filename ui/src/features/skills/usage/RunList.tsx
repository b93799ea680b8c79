/** The runs of a skill, newest first; each opens with all that is remembered of it. */
import { Group, SegmentedControl, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useNames } from '@/components/names';
import { Older } from '@/components/Older';
import { Failure, ListSkeleton } from '@/components/page';
import classes from '../code/output.module.css';
import { RunLines } from '../code/RunLines';
import { RunDrawer } from './RunDrawer';
import { runsQuery } from './runs';

export function RunList({ skill }: { skill: string }) {
  const search = useSearch({ from: '/shell/skills/$skillId/usage' });
  const navigate = useNavigate();
  const names = useNames();
  const runs = useInfiniteQuery(runsQuery(skill, search.status));
  const go = (change: typeof search) =>
    void navigate({
      to: '/skills/$skillId/usage',
      params: { skillId: skill },
      search: { ...search, ...change },
    });
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-labelledby="runs">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5" id="runs">
          Runs
        </Title>
        <SegmentedControl
          size="xs"
          aria-label="Which runs"
          value={search.status ?? 'all'}
          onChange={(status) => go({ status: status === 'all' ? undefined : status })}
          data={[
            { value: 'all', label: 'All' },
            { value: 'succeeded', label: 'Succeeded' },
            { value: 'failed', label: 'Failed' },
          ]}
        />
      </Group>
      {runs.error ? (
        <Failure error={runs.error} retry={() => void runs.refetch()} />
      ) : runs.isPending ? (
        <ListSkeleton rows={5} />
      ) : items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {search.status ? 'None that ended so.' : 'None yet.'}
        </Text>
      ) : (
        <Stack gap={0} component="ul" m={0} p={0} aria-label="Runs" style={{ listStyle: 'none' }}>
          {items.map((run) => (
            <li key={run.id} className={classes.row}>
              <UnstyledButton className={classes.pick} onClick={() => go({ run: run.id })}>
                <RunLines run={run}>
                  <Text size="sm" truncate>
                    {names.who(run.user_id, run.agent_id)}
                  </Text>
                </RunLines>
              </UnstyledButton>
            </li>
          ))}
        </Stack>
      )}
      <Older query={runs} />
      <RunDrawer id={search.run} onClose={() => go({ run: undefined })} />
    </section>
  );
}
