/** How a skill is used: counts, each revision's success, runs over time, and what people say. */
import { Grid, Paper, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { AppLink } from '@/components/AppLink';
import { Empty, Loaded } from '@/components/page';
import { Ago, duration, percent } from '@/components/time';
import { useSkill } from '../useSkill';
import { Feedback } from './Feedback';
import { RunList } from './RunList';
import { DRAWN_RUNS, drawnQuery } from './runs';

const Charts = lazy(() => import('./Charts'));

export default function UsageTab() {
  const skill = useSkill();
  const statistics = useQuery({
    queryKey: ['skills', 'statistics', skill.id],
    queryFn: () => call(api.GET('/api/v1/skills/{id}/statistics', { params: { path: { id: skill.id } } })),
  });
  const runs = useQuery(drawnQuery(skill.id));
  return (
    <Stack gap="xl">
      <Loaded query={statistics} skeleton={<Skeleton height={88} radius="md" />}>
        {(known) => <Counts of={known} />}
      </Loaded>
      <Loaded query={runs} skeleton={<Skeleton height={220} radius="md" />}>
        {({ items, more }) =>
          items.length === 0 ? (
            <Empty icon={IconChartBar} title="No runs to show yet">
              {skill.procedure
                ? 'Each run of its procedure, by a person or an agent, is counted here. You see your own runs; admins and reviewers see all.'
                : 'This skill has no procedure, so it has no runs. Uses that agents tell of are counted above.'}
            </Empty>
          ) : (
            <Suspense fallback={<Skeleton height={220} radius="md" />}>
              <Charts runs={items} />
              {more && (
                <Text size="xs" c="dimmed" mt={4}>
                  Drawn from the newest {DRAWN_RUNS.toLocaleString('en')} runs.
                </Text>
              )}
            </Suspense>
          )
        }
      </Loaded>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="xl">
            <Loaded query={statistics} skeleton={<Skeleton height={120} radius="md" />}>
              {(known) => <Revisions skill={skill.id} of={known.revisions} />}
            </Loaded>
            {skill.procedure && <RunList skill={skill.id} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Feedback skill={skill.id} />
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function Counts({ of: { total, mean_duration_ms: mean } }: { of: Schemas['SkillStatisticsView'] }) {
  const recent = total.recent_success_rate;
  const cells: [string, string, string][] = [
    ['Used', `${total.use_count.toLocaleString('en')} times`, lastUse(total.last_used_at)],
    [
      'Success rate',
      total.execution_count > 0 ? percent(total.success_rate) : '–',
      recent == null ? `${total.execution_count} executions` : `lately ${percent(recent)}`,
    ],
    [
      'Failures',
      total.failure_count.toLocaleString('en'),
      `of ${total.execution_count.toLocaleString('en')} executions`,
    ],
    ['Takes on average', mean == null ? '–' : duration(mean), mean == null ? 'no run yet' : 'a run'],
    [
      'Found helpful',
      total.feedback_score == null ? '–' : percent(total.feedback_score),
      `${total.helpful_count} yes, ${total.unhelpful_count} no`,
    ],
  ];
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
      {cells.map(([label, value, about]) => (
        <Paper key={label} withBorder p="sm" radius="md">
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          <Text fw={650} fz="xl">
            {value}
          </Text>
          <Text size="xs" c="dimmed">
            {about}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}

function lastUse(at: string | null | undefined): string {
  return at ? `last on ${new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' })}` : 'never yet';
}

function Revisions({ skill, of }: { skill: string; of: Schemas['RevisionStatisticsView'][] }) {
  if (of.length === 0) return null;
  return (
    <section aria-labelledby="by-revision">
      <Title order={2} size="h5" id="by-revision" mb="xs">
        By revision
      </Title>
      <Table.ScrollContainer minWidth={420}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Revision</Table.Th>
              <Table.Th>Success</Table.Th>
              <Table.Th>Runs</Table.Th>
              <Table.Th>On average</Table.Th>
              <Table.Th>Last used</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {of.map((one) => (
              <Table.Tr key={one.revision}>
                <Table.Td>
                  <AppLink
                    to="/skills/$skillId/history"
                    params={{ skillId: skill }}
                    search={{ to: one.revision }}
                    size="sm"
                  >
                    {one.revision}
                  </AppLink>
                </Table.Td>
                <Table.Td>
                  <Text size="sm" fw={600}>
                    {percent(one.success_rate)}
                  </Text>
                </Table.Td>
                <Table.Td>
                  {one.executions}
                  {one.failures > 0 && `, ${one.failures} failed`}
                </Table.Td>
                <Table.Td>{one.mean_duration_ms == null ? '–' : duration(one.mean_duration_ms)}</Table.Td>
                <Table.Td>
                  <Ago at={one.last_used_at} size="sm" c="dimmed" />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
