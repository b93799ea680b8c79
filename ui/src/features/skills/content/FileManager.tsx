/** All files of a skill: opened, added, dropped, renamed, removed, downloaded. */
import { Box, Button, FileButton, Group, Text, Title } from '@mantine/core';
import { IconPlus, IconUpload } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { queryClient } from '@/api/queries';
import { failed } from '@/components/feedback';
import { saveAs } from '@/components/saveAs';
import { bytes, counted } from '@/components/time';
import type { Skill } from '../useSkill';
import { askPath } from './askPath';
import { bytesQuery } from './bytes';
import classes from './content.module.css';
import { type Change, change, type Draft, type Entry, pathProblem, put, remove, sizeOf } from './draft';
import { type Dropped, isClutter, readDropped } from './dropped';
import { FileRow } from './FileRow';
import { useLimits } from './limits';

const DropArea = lazy(() => import('./DropArea'));

type Props = {
  skill: Skill;
  entries: Entry[];
  open: string | undefined;
  changes: Change[];
  locked: boolean;
  update: (step: (draft: Draft) => Draft) => void;
  show: (path: string) => void;
};

export function FileManager({ skill, entries, open, changes, locked, update, show }: Props) {
  const { largestFile, words } = useLimits();
  const add = async () => {
    const path = await askPath({
      title: 'New file',
      confirm: 'Add',
      problem: (typed) => pathProblem(entries, typed),
    });
    if (path === null) return;
    update((draft) => put(draft, path, ''));
    show(path);
  };
  const rename = async (entry: Entry) => {
    const path = await askPath({
      title: `Rename ${entry.path}`,
      confirm: 'Rename',
      first: entry.path,
      problem: (typed) => pathProblem(entries, typed, entry.key),
    });
    if (path === null || path === entry.path) return;
    update((draft) => change(draft, entry.key, { path }));
    if (entry.key === open) show(path);
  };
  const take = (files: Dropped[]) => {
    const wanted = files.filter(({ path }) => !isClutter(path));
    const fitting = wanted.filter(({ content }) => content.length <= largestFile);
    for (const { path, content } of wanted) {
      if (content.length > largestFile) failed(new Error(`${path} has ${bytes(content.length)}. ${words}.`));
    }
    if (fitting.length === 0) return;
    update((draft) => fitting.reduce((now, { path, content }) => put(now, path, content), draft));
    if (fitting.length === 1 && fitting[0]) show(fitting[0].path);
  };
  const gone = changes.filter(({ kind }) => kind === 'removed');

  return (
    <Box component="section" aria-labelledby="files-title">
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Title order={2} size="h5" id="files-title">
          Files
        </Title>
        <Text size="xs" c="dimmed">
          {counted(entries.length, 'file')}, {bytes(entries.reduce((sum, entry) => sum + sizeOf(entry), 0))}
        </Text>
      </Group>
      <Box className={classes.files}>
        <ul className={classes.list}>
          {entries.map((entry) => (
            <FileRow
              key={entry.key}
              entry={entry}
              open={entry.key === open}
              locked={locked}
              onOpen={() => show(entry.path)}
              onRename={() => void rename(entry)}
              onDownload={() => void download(skill, entry)}
              onRemove={() => update((draft) => remove(draft, entry.key))}
              onExecutable={() =>
                update((draft) => change(draft, entry.key, { executable: !entry.executable }))
              }
            />
          ))}
        </ul>
      </Box>
      {gone.length > 0 && (
        <Text size="xs" c="dimmed" mt={6}>
          Removed when you save: {gone.map(({ path }) => path).join(', ')}
        </Text>
      )}
      {!locked && (
        <>
          <Group gap="xs" mt="xs" grow>
            <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => void add()}>
              New file
            </Button>
            <FileButton multiple onChange={(files) => void readDropped(files).then(take)}>
              {(props) => (
                <Button size="xs" leftSection={<IconUpload size={14} />} {...props}>
                  Upload
                </Button>
              )}
            </FileButton>
          </Group>
          <Text size="xs" c="dimmed" mt={6} hiddenFrom="md">
            {words}
          </Text>
          <Box mt="xs" visibleFrom="md">
            <Suspense fallback={<Box h={74} />}>
              <DropArea label="Drop files" onFiles={take}>
                Drop files or a folder here
                <Text size="xs" span display="block">
                  {words}
                </Text>
              </DropArea>
            </Suspense>
          </Box>
        </>
      )}
    </Box>
  );
}

async function download(skill: Skill, entry: Entry): Promise<void> {
  const name = entry.path.split('/').pop() ?? entry.path;
  try {
    const content =
      entry.content ??
      (entry.from
        ? await queryClient.fetchQuery(bytesQuery(skill.id, skill.revision, entry.from))
        : new Uint8Array());
    saveAs(new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name);
  } catch (error) {
    failed(error);
  }
}
