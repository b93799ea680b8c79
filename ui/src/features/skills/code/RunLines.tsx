import { Badge, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { Ago, duration } from '@/components/time';
import classes from './output.module.css';
import { errorWords } from './words';

type RunLinesProps = { run: Schemas['RunView']; children: ReactNode };

/** A run in a list: what is said of it, how it ended, and below that when and how long. */
export function RunLines({ run, children }: RunLinesProps) {
  return (
    <>
      <Group justify="space-between" gap="4px 12px" className={classes.lines}>
        {children}
        <Badge color={run.status === 'succeeded' ? 'green' : 'red'}>
          {run.error ? errorWords(run.error.code) : 'Succeeded'}
        </Badge>
      </Group>
      <Text size="xs" c="dimmed" component="div">
        <Ago at={run.started_at} span /> · revision {run.revision} · {duration(run.duration_ms)}
      </Text>
    </>
  );
}
