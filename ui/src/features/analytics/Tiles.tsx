import { Group, NumberInput, Paper, SimpleGrid, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { AppLink } from '@/components/AppLink';
import { counted, duration, percent } from '@/components/time';
import { timeSaved } from './figures';

const USUAL_MINUTES = 5;

export function Tiles({ totals }: { totals: Schemas['AnalyticsTotalsView'] }) {
  const waiting = totals.draft + totals.pending;
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <Tile label="Uses" value={totals.uses.toLocaleString('en')}>
        {totals.runs > 0
          ? `${counted(totals.runs, 'run')}, ${duration(totals.run_ms_total)} in all`
          : 'none of them runs of code'}
      </Tile>
      <Tile label="Success rate" value={totals.uses > 0 ? percent(totals.successes / totals.uses) : '–'}>
        {counted(totals.successes, 'success', 'successes')}, {counted(totals.failures, 'failure')}
      </Tile>
      <Tile
        label="Skills used"
        value={`${totals.used_skills.toLocaleString('en')} of ${totals.active.toLocaleString('en')}`}
      >
        active skills
        {waiting > 0 && (
          <>
            ;{' '}
            <AppLink to="/review" size="sm" c="inherit">
              {waiting} wait for review
            </AppLink>
          </>
        )}
      </Tile>
      <TimeSaved successes={totals.successes} />
    </SimpleGrid>
  );
}

function Tile({ label, value, children }: { label: string; value: string; children: ReactNode }) {
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'md' }} component="section" aria-label={label}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={26} fw={650} lh={1.3}>
        {value}
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
    </Paper>
  );
}

/** Nobody measures what a skill saves; the person says what they assume, and sees that it is one. */
function TimeSaved({ successes }: { successes: number }) {
  const [minutes, setMinutes] = useLocalStorage({
    key: 'repertoire-minutes-a-use',
    defaultValue: USUAL_MINUTES,
    getInitialValueInEffect: false,
  });
  return (
    <Tile label="Time saved (estimate)" value={timeSaved(successes, minutes)}>
      <Group gap={6}>
        at
        <NumberInput
          aria-label="Minutes a success saves"
          size="xs"
          w={64}
          min={0}
          max={10_000}
          allowNegative={false}
          decimalScale={1}
          value={minutes}
          onChange={(value) => setMinutes(Number(value) || 0)}
        />
        min a success
      </Group>
    </Tile>
  );
}
