/** What a waiting revision changes, file by file, against one that was there before. */
import { Badge, Box, Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { CodeDiff, languageOf } from '@/components/code';
import { Loaded } from '@/components/page';
import { downloadFrom, fileAddress } from '@/features/skills/download';
import { skillFileQuery } from './files';
import { type Detail, Section } from './SkillContent';

type FileDiff = Schemas['FileDiffView'];

const colours: Record<string, string> = { added: 'green', removed: 'red', modified: 'blue' };

export function Changes({ skill }: { skill: Detail }) {
  const latest = skill.shown.number;
  // What was let in last is what the waiting one would replace.
  const inForce = skill.approved_revision ?? null;
  const [base, setBase] = useState(String(inForce && inForce < latest ? inForce : latest - 1));
  const diff = useQuery({
    queryKey: ['skills', 'diff', skill.id, base, latest],
    queryFn: () =>
      call(
        api.GET('/api/v1/skills/{id}/diff', {
          params: { path: { id: skill.id }, query: { from: base, to: String(latest) } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Section
      title="Changes"
      aside={
        <Select
          size="xs"
          w={220}
          aria-label="Compare with"
          allowDeselect={false}
          value={base}
          onChange={(value) => value && setBase(value)}
          data={Array.from({ length: latest - 1 }, (_, at) => ({
            value: String(latest - 1 - at),
            label: `against revision ${latest - 1 - at}${latest - 1 - at === inForce ? ' (approved)' : ''}`,
          }))}
        />
      }
    >
      <Loaded query={diff} skeleton={<Skeleton height={160} radius="md" />}>
        {({ files }) =>
          files.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nothing differs from revision {base}.
            </Text>
          ) : (
            <Stack gap="md">
              {files.map((file) => (
                <ChangedFile key={file.path} skill={skill} file={file} from={Number(base)} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}

function ChangedFile({ skill, file, from }: { skill: Detail; file: FileDiff; from: number }) {
  const { id } = skill;
  const to = skill.shown.number;
  const isText = file.unified != null;
  const before = useQuery({
    ...skillFileQuery(id, file.path, from),
    enabled: isText && file.change !== 'added',
  });
  const after = useQuery({
    ...skillFileQuery(id, file.path, to),
    enabled: isText && file.change !== 'removed',
  });
  const [old, now] = [
    file.change === 'added' ? '' : before.data,
    file.change === 'removed' ? '' : after.data,
  ];
  return (
    <Box>
      <Group gap="xs" mb={6}>
        <Text size="sm" ff="monospace">
          {file.path}
        </Text>
        <Badge color={colours[file.change] ?? 'gray'}>{file.change}</Badge>
        {!isText && <Badge color="yellow">not shown</Badge>}
      </Group>
      {!isText ? (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            Not text, or too long to compare. Look at it yourself:
          </Text>
          {file.change !== 'added' && <Stored id={id} path={file.path} revision={from} />}
          {file.change !== 'removed' && <Stored id={id} path={file.path} revision={to} />}
        </Group>
      ) : old == null || now == null ? (
        <Skeleton height={120} radius="md" />
      ) : old === now && file.change === 'modified' ? (
        <Text size="sm">
          Its text is the same.{' '}
          {skill.files.some(({ path, executable }) => path === file.path && executable)
            ? 'It can be executed now.'
            : 'It can no longer be executed.'}
        </Text>
      ) : (
        <CodeDiff before={old} after={now} language={languageOf(file.path)} label={file.path} />
      )}
    </Box>
  );
}

/** A file as a revision has it, to keep and open elsewhere. */
function Stored({ id, path, revision }: { id: string; path: string; revision: number }) {
  const name = path.split('/').pop() ?? path;
  return (
    <Button
      size="compact-sm"
      leftSection={<IconDownload size={14} />}
      aria-label={`Download ${path} of revision ${revision}`}
      onClick={() => void downloadFrom(fileAddress(id, path, revision), name)}
    >
      Revision {revision}
    </Button>
  );
}
