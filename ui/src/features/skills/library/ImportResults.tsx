/** What became of an import: each skill with what was found in its files. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { counted } from '@/components/time';
import { Findings } from '../Findings';
import type { Imported } from './imports';
import classes from './library.module.css';

const words: Record<string, { label: string; color: string }> = {
  created: { label: 'New', color: 'green' },
  revised: { label: 'New revision', color: 'blue' },
  unchanged: { label: 'Unchanged', color: 'gray' },
  skipped: { label: 'Skipped', color: 'gray' },
  refused: { label: 'Not imported', color: 'red' },
};

type ResultsProps = {
  outcome: Imported[];
  left: string[];
  again: () => void;
  close: () => void;
  busy: boolean;
};

export function ImportResults({ outcome, left, again, close, busy }: ResultsProps) {
  const put = outcome.filter(({ result }) => result).length;
  const refused = outcome.filter(({ problem }) => problem).length;
  const taken = outcome.filter(({ problem }) => problem?.code === 'name_taken').length;
  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        {counted(put, 'skill')} imported{refused > 0 && `, ${refused} not`}.
      </Text>
      <ul className={classes.results}>
        {outcome.map((one, at) => (
          <li key={at}>
            <One imported={one} close={close} />
          </li>
        ))}
      </ul>
      {left.length > 0 && (
        <Text size="sm" c="dimmed">
          {counted(left.length, 'file')} left out, because no SKILL.md stands above:{' '}
          {left.slice(0, 5).join(', ')}
          {left.length > 5 && ' …'}
        </Text>
      )}
      <Group justify="flex-end">
        {taken > 0 && (
          <Button onClick={again} loading={busy}>
            Import {taken === 1 ? 'the taken one as a new revision' : 'the taken ones as new revisions'}
          </Button>
        )}
        <Button variant="filled" onClick={close} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

function One({ imported, close }: { imported: Imported; close: () => void }) {
  const { label, result, problem, findings } = imported;
  const word = words[problem ? 'refused' : (result?.outcome ?? '')];
  return (
    <>
      <Group justify="space-between" wrap="nowrap">
        {result ? (
          <Link
            to="/skills/$skillId"
            params={{ skillId: result.skill.id }}
            className={classes.resultLink}
            onClick={close}
          >
            {label}
          </Link>
        ) : (
          <Text size="sm" fw={550}>
            {label}
          </Text>
        )}
        {word && <Badge color={word.color}>{word.label}</Badge>}
      </Group>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)">
          {problem.detail}
        </Text>
      )}
      {findings.length > 0 && (
        <div className={classes.found}>
          <Findings of={findings} />
        </div>
      )}
    </>
  );
}
