/** What a waiting revision changes, file by file, against one that was there before. */
import { Badge, Box, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { CodeDiff, languageOf } from '@/components/code';
import { Loaded } from '@/components/page';
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
                <ChangedFile key={file.path} id={skill.id} file={file} from={Number(base)} to={latest} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}

function ChangedFile({ id, file, from, to }: { id: string; file: FileDiff; from: number; to: number }) {
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
      </Group>
      {!isText ? (
        <Text size="sm" c="dimmed">
          Not text, or too long to compare.
        </Text>
      ) : old == null || now == null ? (
        <Skeleton height={120} radius="md" />
      ) : (
        <CodeDiff before={old} after={now} language={languageOf(file.path)} label={file.path} />
      )}
    </Box>
  );
}
