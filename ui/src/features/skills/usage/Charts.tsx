/** Runs over time and how long they took. Loaded only where there is something to draw. */
import { BarChart, LineChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { Paper, SimpleGrid, Text, Title } from '@mantine/core';
import { duration } from '@/components/time';
import { byDay, durations, median, type Run } from './numbers';

const day = (at: string) =>
  new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export default function Charts({ runs }: { runs: Run[] }) {
  const half = median(runs);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Paper withBorder p="md" radius="md">
        <Title order={3} size="h6" mb="sm">
          Runs by day
        </Title>
        <BarChart
          h={180}
          data={byDay(runs)}
          dataKey="day"
          type="stacked"
          withLegend
          xAxisProps={{ tickFormatter: day }}
          yAxisProps={{ allowDecimals: false, width: 30 }}
          maxBarWidth={36}
          series={[
            { name: 'Succeeded', color: 'teal.6' },
            { name: 'Failed', color: 'red.6' },
          ]}
        />
      </Paper>
      <Paper withBorder p="md" radius="md">
        <Title order={3} size="h6" mb="sm">
          How long they took
        </Title>
        <LineChart
          h={156}
          data={durations(runs)}
          dataKey="run"
          curveType="linear"
          withDots={runs.length < 40}
          xAxisProps={{ tickFormatter: () => '' }}
          yAxisProps={{ width: 56 }}
          valueFormatter={duration}
          series={[{ name: 'Duration', color: 'ink.6' }]}
        />
        <Text size="xs" c="dimmed" mt={4}>
          {half === null ? '' : `Half of them took ${duration(half)} or less. `}Oldest on the left.
        </Text>
      </Paper>
    </SimpleGrid>
  );
}
