/** Which skills earn their place: how much they are used, how well that goes, and which nobody uses. */
import { Button, Group, SegmentedControl, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Schemas } from '@/api/client';
import { Empty, Loaded, Page } from '@/components/page';
import { AgentPicker } from '@/components/pickers';
import { AgentUses } from './AgentUses';
import { type Span, spans } from './figures';
import { analyticsQuery } from './query';
import { SkillBars } from './SkillBars';
import { Tiles } from './Tiles';
import { UnusedSkills } from './UnusedSkills';
import { UseOverTime } from './UseOverTime';

export default function AnalyticsPage() {
  const search = useSearch({ from: '/shell/analytics' });
  const navigate = useNavigate({ from: '/analytics' });
  const span = spans.find((known) => known === search.days) ?? 30;
  const analytics = useQuery(analyticsQuery(span, search.agent));
  return (
    <Page
      title="Analytics"
      description="Which skills earn their place. Days are counted in UTC."
      actions={
        <Group gap="sm" align="flex-end">
          <AgentPicker
            aria-label="Agent"
            value={search.agent ?? null}
            onChange={(agent) =>
              void navigate({ search: (before) => ({ ...before, agent: agent ?? undefined }), replace: true })
            }
            w={200}
          />
          <SegmentedControl
            aria-label="Span"
            value={String(span)}
            onChange={(days) =>
              void navigate({
                search: (before) => ({ ...before, days: days === '30' ? undefined : Number(days) }),
                replace: true,
              })
            }
            data={spans.map((days) => ({
              value: String(days),
              label: days === 365 ? 'A year' : `${days} days`,
            }))}
          />
        </Group>
      }
    >
      <Loaded query={analytics} skeleton={<Shape />}>
        {(seen) => <Dashboard seen={seen} span={span} agent={search.agent} />}
      </Loaded>
    </Page>
  );
}

type DashboardProps = { seen: Schemas['AnalyticsView']; span: Span; agent: string | undefined };

function Dashboard({ seen, span, agent }: DashboardProps) {
  if (seen.totals.uses === 0)
    return (
      <Stack gap="xl">
        <Empty
          icon={IconChartBar}
          title={seen.totals.skills === 0 ? 'No skills yet' : `No uses in these ${span} days`}
          actions={
            <>
              <Button component={Link} to="/agents" variant="filled">
                Connect an agent
              </Button>
              <Button component={Link} to="/conversations">
                Try a skill yourself
              </Button>
            </>
          }
        >
          Every run, and every use an agent tells of, is counted here: how often, with what success, through
          which agent. Connect an agent, or run a skill, and it begins to show.
        </Empty>
        {seen.totals.skills > 0 && <UnusedSkills skills={seen.unused} span={span} />}
      </Stack>
    );
  return (
    <Stack gap="xl">
      <Tiles totals={seen.totals} />
      <UseOverTime days={seen.days} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing="xl">
        <SkillBars title="Most used" about="Uses in these days, and how many succeeded." skills={seen.top} />
        <SkillBars
          title="Lowest success"
          about="Skills with at least 5 uses in these days and a failure."
          skills={seen.failing}
          by="rate"
          none="No skill with at least 5 uses fails."
        />
        <UnusedSkills skills={seen.unused} span={span} />
        {!agent && <AgentUses agents={seen.agents} />}
      </SimpleGrid>
    </Stack>
  );
}

function Shape() {
  return (
    <Stack gap="xl" aria-busy="true">
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        {[0, 1, 2, 3].map((tile) => (
          <Skeleton key={tile} height={96} radius="md" />
        ))}
      </SimpleGrid>
      <Skeleton height={300} radius="md" />
    </Stack>
  );
}
