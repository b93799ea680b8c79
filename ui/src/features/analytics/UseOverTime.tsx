import { Paper, Skeleton, Switch, Table, VisuallyHidden } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Section } from '@/components/Section';
import classes from './analytics.module.css';
import { type Bar, bars, type DayUses } from './figures';

const UseChart = lazy(() => import('./UseChart'));

export function UseOverTime({ days }: { days: DayUses[] }) {
  const [asTable, setAsTable] = useState(false);
  const shown = bars(days);
  return (
    <Section
      title="Use over time"
      actions={
        <Switch
          label="As a table"
          checked={asTable}
          onChange={(event) => setAsTable(event.currentTarget.checked)}
        />
      }
    >
      {asTable ? (
        <Paper withBorder className={classes.scroll} tabIndex={0} role="group" aria-label="Use over time">
          <Numbers bars={[...shown].reverse()} />
        </Paper>
      ) : (
        <>
          <div aria-hidden>
            <Suspense fallback={<Skeleton height={280} radius="md" />}>
              <UseChart bars={shown} />
            </Suspense>
          </div>
          <VisuallyHidden>
            <Numbers bars={shown} />
          </VisuallyHidden>
        </>
      )}
    </Section>
  );
}

function Numbers({ bars: shown }: { bars: Bar[] }) {
  return (
    <Table stickyHeader verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Day</Table.Th>
          <Table.Th ta="right">Uses</Table.Th>
          <Table.Th ta="right">Succeeded</Table.Th>
          <Table.Th ta="right">Failed</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {shown.map((bar) => (
          <Table.Tr key={bar.day}>
            <Table.Th scope="row" fw={500}>
              {bar.label}
            </Table.Th>
            <Table.Td ta="right">{bar.uses}</Table.Td>
            <Table.Td ta="right">{bar.successes}</Table.Td>
            <Table.Td ta="right">{bar.failures}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
