/** A skill that exists already: a zip or a folder is looked at first, and put in when the person says so. */
import { Box, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconPackage } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { ApiError, fetchRaw, messageOf, type Schemas } from '@/api/client';
import { refresh } from '@/api/queries';
import { told } from '@/components/feedback';
import { Failure, ListSkeleton } from '@/components/page';
import { bytes, counted } from '@/components/time';
import { type Dropped, isClutter, unwrap } from '../content/dropped';
import { examine } from '../content/examine';
import { useLimits } from '../content/limits';
import { toBase64 } from '../content/text';
import { Findings } from '../Findings';
import { scopeBody } from '../scopes';
import { Verdicts } from '../Verdicts';
import { Imported } from './Imported';
import { Placement, Refused } from './Placement';
import { saysAfter, useCreate, usePlacement } from './useCreate';

const DropArea = lazy(() => import('../content/DropArea'));

type Looked = {
  files: Dropped[];
  folder?: string;
  zip: Dropped | null;
  examined: Schemas['ValidationView'] | null;
  /** The archive has several skills; they are examined as they come in. */
  several: boolean;
};

export function BundleWay() {
  const navigate = useNavigate();
  const { words } = useLimits();
  const [looked, setLooked] = useState<Looked | null>(null);
  const [looking, setLooking] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const [imported, setImported] = useState<Schemas['ImportView'] | null>(null);
  const [importing, setImporting] = useState(false);
  const [placement, setPlacement, whole] = usePlacement();
  const { create, busy, error, taken, clear } = useCreate(looked !== null && imported === null);

  const look = async (dropped: Dropped[]) => {
    setLooking(true);
    setRefused(null);
    setImported(null);
    setLooked(null);
    clear();
    try {
      setLooked(await lookAt(dropped));
    } catch (thrown) {
      setRefused(thrown);
    } finally {
      setLooking(false);
    }
  };
  const bringIn = async (zip: Dropped) => {
    setImporting(true);
    setRefused(null);
    try {
      const answer = await importZip(zip, placement.scope);
      setImported(answer);
      await refresh('skills');
      const [only] = answer.results;
      if (answer.results.length === 1 && only?.published) {
        told(saysAfter(only.published.skill));
        const skillId = only.published.skill.id;
        await navigate({ to: '/skills/$skillId', params: { skillId }, ignoreBlocker: true });
      }
    } catch (thrown) {
      setRefused(thrown);
    } finally {
      setImporting(false);
    }
  };
  const put = () => {
    if (!looked) return;
    if (looked.zip) void bringIn(looked.zip);
    else {
      const files = looked.files.map(({ path, content }) => ({ path, content_base64: toBase64(content) }));
      void create({ files, folder: looked.folder }, placement);
    }
  };
  const acceptable = looked !== null && (looked.several || looked.examined?.accepted === true);

  return (
    <Stack>
      <Suspense fallback={<Box h={140} />}>
        <DropArea label="Drop a zip or a folder" onFiles={(files) => void look(files)}>
          <Box py="lg">
            <IconPackage size={36} stroke={1.4} aria-hidden />
            <Text fw={550} c="var(--mantine-color-text)">
              Drop a zip or a skill’s folder here, or click to choose
            </Text>
            It is looked at first; nothing is stored before you say so. {words && `${words}.`}
          </Box>
        </DropArea>
      </Suspense>
      {looking && <ListSkeleton rows={2} />}
      {refused !== null && <Failure error={refused} />}
      {imported && <Imported of={imported} />}
      {looked && !imported && (
        <>
          <Card withBorder>
            <Title order={2} size="h5">
              {looked.zip?.path ?? looked.folder ?? counted(looked.files.length, 'file')}
            </Title>
            <Text size="sm" c="dimmed" mb="sm">
              {looked.zip
                ? bytes(looked.zip.content.length)
                : looked.files.map(({ path }) => path).join(', ')}
            </Text>
            {looked.several && (
              <Text size="sm">
                The archive holds more than one skill. Each is examined as it comes in; those that cannot go
                in are explained, the others do.
              </Text>
            )}
            {looked.examined && <Examined of={looked.examined} />}
          </Card>
          <Placement value={placement} onChange={setPlacement} draftable={!looked.zip} />
          {looked.zip && (
            <Text size="sm" c="dimmed">
              What comes from an archive is active at once, or waits for a reviewer where that is demanded.
            </Text>
          )}
          <Refused error={error} taken={taken} />
          <Group justify="flex-end">
            <Button onClick={() => setLooked(null)}>Choose another</Button>
            <Button
              variant="filled"
              disabled={!acceptable || !whole}
              loading={busy || importing}
              onClick={put}
            >
              {looked.several ? 'Import all' : 'Create skill'}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

function Examined({ of }: { of: Schemas['ValidationView'] }) {
  return (
    <Stack gap="sm">
      {!of.accepted && (
        <Text size="sm" fw={550} c="red">
          {messageOf(new Error(of.problem?.detail ?? 'this cannot go in as it is'))}
        </Text>
      )}
      {of.findings.length > 0 ? (
        <Findings of={of.findings} />
      ) : (
        of.accepted && <Text size="sm">Nothing to complain about.</Text>
      )}
      <Title order={3} size="h6">
        Who would load it
      </Title>
      <Verdicts of={of.clients} />
    </Stack>
  );
}

async function lookAt(dropped: Dropped[]): Promise<Looked> {
  const wanted = dropped.filter(({ path }) => !isClutter(path));
  const [zip] = wanted.filter(({ path }) => path.toLowerCase().endsWith('.zip'));
  if (zip && wanted.length === 1) return lookAtZip(zip);
  const { folder, files } = unwrap(wanted);
  const requests = files.map(({ path, content }) => ({ path, content_base64: toBase64(content) }));
  return { files, folder, zip: null, several: false, examined: await examine(requests, folder) };
}

async function lookAtZip(zip: Dropped): Promise<Looked> {
  const looked = { files: [], zip, several: false, examined: null };
  try {
    const answer = await fetchRaw('/api/v1/skills/validate', {
      method: 'POST',
      headers: { 'Content-Type': 'application/zip' },
      body: new Uint8Array(zip.content),
    });
    return { ...looked, examined: await answer.json() };
  } catch (error) {
    if (error instanceof ApiError && /more than one skill/.test(error.message)) {
      return { ...looked, several: true };
    }
    throw error;
  }
}

async function importZip(
  zip: Dropped,
  scope: Parameters<typeof scopeBody>[0],
): Promise<Schemas['ImportView']> {
  const query = new URLSearchParams({ mode: 'each' });
  for (const [name, value] of Object.entries(scopeBody(scope))) if (value) query.set(name, value);
  const answer = await fetchRaw(`/api/v1/skills/import?${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/zip' },
    body: new Uint8Array(zip.content),
  });
  return answer.json();
}
