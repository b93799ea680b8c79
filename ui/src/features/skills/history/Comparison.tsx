/** Two revisions, file by file. */
import { Accordion, Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { CodeDiff, languageOf } from '@/components/code';
import { Failure, ListSkeleton } from '@/components/page';
import { bytes } from '@/components/time';
import { bytesQuery } from '../content/bytes';
import { asLines, textOf } from '../content/text';
import { compareFiles, type Difference } from './compare';
import { filesQuery } from './queries';

/** So many are opened at once; the others wait for a click. */
const OPEN = 4;

const kinds: Record<Difference['kind'], { label: string; color: string }> = {
  added: { label: 'Added', color: 'green' },
  removed: { label: 'Removed', color: 'red' },
  renamed: { label: 'Renamed', color: 'blue' },
  changed: { label: 'Changed', color: 'gray' },
  mode: { label: 'Mode', color: 'gray' },
};

type Props = { id: string; from: number; to: number };

export function Comparison({ id, from, to }: Props) {
  const before = useQuery({ ...filesQuery(id, from), enabled: from > 0 });
  const after = useQuery(filesQuery(id, to));
  const error = before.error ?? after.error;
  if (error) return <Failure error={error} />;
  if ((from > 0 && !before.data) || !after.data) return <ListSkeleton rows={3} />;
  const differences = compareFiles(before.data ?? [], after.data);
  if (differences.length === 0) return <Text c="dimmed">Both have the same files.</Text>;
  return <Files key={`${from}-${to}`} id={id} from={from} to={to} differences={differences} />;
}

function Files({ id, from, to, differences }: Props & { differences: Difference[] }) {
  const [open, setOpen] = useState(differences.slice(0, OPEN).map(({ path }) => path));
  return (
    <Accordion multiple value={open} onChange={setOpen} variant="contained" order={3} chevronPosition="left">
      {differences.map((difference) => {
        const { path, kind, before } = difference;
        return (
          <Accordion.Item key={path} value={path}>
            <Accordion.Control>
              <Group gap="xs">
                <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                  {kind === 'renamed' ? `${before?.path} → ${path}` : path}
                </Text>
                <Badge size="sm" color={kinds[kind].color}>
                  {kinds[kind].label}
                </Badge>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              {open.includes(path) && <Body id={id} from={from} to={to} difference={difference} />}
            </Accordion.Panel>
          </Accordion.Item>
        );
      })}
    </Accordion>
  );
}

function Body({ id, from, to, difference }: Props & { difference: Difference }) {
  const { kind, before, after, path } = difference;
  const differs = kind !== 'renamed' && kind !== 'mode';
  const old = useBytes(id, from, differs ? before : null);
  const now = useBytes(id, to, differs ? after : null);
  if (kind === 'renamed') return <Said>Its content is the same.</Said>;
  if (kind === 'mode')
    return <Said>{after?.executable ? 'It can be executed now.' : 'It can no longer be executed.'}</Said>;
  const error = old.error ?? now.error;
  if (error) return <Failure error={error} />;
  if ((before && !old.data) || (after && !now.data)) return <Skeleton height={120} radius="md" />;
  const oldText = old.data ? textOf(old.data) : '';
  const newText = now.data ? textOf(now.data) : '';
  if (oldText === null || newText === null) {
    return (
      <Said>
        Not a text: {before ? bytes(before.size) : 'nothing'} before, {after ? bytes(after.size) : 'nothing'}{' '}
        after.
      </Said>
    );
  }
  return (
    <Stack gap="xs">
      {asLines(oldText) === asLines(newText) && <Said>Only line endings differ.</Said>}
      <CodeDiff label={path} language={languageOf(path)} before={asLines(oldText)} after={asLines(newText)} />
    </Stack>
  );
}

function useBytes(id: string, revision: number, file: Schemas['FileView'] | null) {
  return useQuery({
    ...bytesQuery(id, revision, file ?? { path: '', digest: '' }),
    enabled: file !== null,
  });
}

function Said({ children }: { children: React.ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
