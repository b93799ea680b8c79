/** What a skill says, does and bounds, to read before one decides. */
import { Badge, Box, Code, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { CodeEditor, languageOf, Markdown } from '@/components/code';
import { Failure } from '@/components/page';
import { skillFileQuery } from './files';
import { policyWords } from './policyWords';
import classes from './review.module.css';

export type Detail = Schemas['SkillDetailView'];

export function Section({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Box component="section" aria-label={title}>
      <Group gap="xs" mb="xs" justify="space-between">
        <Title order={3} fz="sm" fw={620}>
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Box>
  );
}

/** `brief` leaves out the instructions of what can be run: they only repeat how. */
export function SkillContent({ skill, brief = false }: { skill: Detail; brief?: boolean }) {
  return (
    <Stack gap="lg">
      {skill.procedure && (
        <>
          <Section title="Parameters">
            <Parameters parameters={skill.procedure.parameters} />
          </Section>
          <Section
            title="Code"
            aside={
              <Text size="xs" c="dimmed" ff="monospace">
                {skill.procedure.file}
                {skill.procedure.function ? ` · ${skill.procedure.function}` : ''}
              </Text>
            }
          >
            <SkillCode skill={skill} />
          </Section>
          {skill.procedure.network.length > 0 && (
            <Section title="Reaches">
              <Text size="sm">{skill.procedure.network.join(', ')}</Text>
            </Section>
          )}
        </>
      )}
      {skill.policy && (
        <Section title="Policy">
          <ul className={classes.words}>
            {policyWords(skill.policy).map((word) => (
              <li key={word}>{word}</li>
            ))}
          </ul>
        </Section>
      )}
      {skill.instructions.trim() && !(brief && skill.procedure) && (
        <Section title="Instructions">
          <Box className={classes.reading}>
            <Markdown>{skill.instructions}</Markdown>
          </Box>
        </Section>
      )}
    </Stack>
  );
}

/** The procedure's code, read-only. */
function SkillCode({ skill, maxHeight = '26rem' }: { skill: Detail; maxHeight?: string }) {
  const path = skill.procedure?.file ?? '';
  const code = useQuery({ ...skillFileQuery(skill.id, path, skill.shown.number), enabled: Boolean(path) });
  if (code.error) return <Failure error={code.error} retry={() => void code.refetch()} />;
  if (code.data === undefined) return <Skeleton height={180} radius="md" />;
  return (
    <CodeEditor
      value={code.data ?? 'This file is not text.'}
      language={languageOf(path)}
      readOnly
      label={`Code of ${skill.name}`}
      maxHeight={maxHeight}
    />
  );
}

export function Parameters({ parameters }: { parameters: Schemas['ParameterView'][] }) {
  if (parameters.length === 0)
    return (
      <Text size="sm" c="dimmed">
        It takes none.
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={280} type="native">
      <Table verticalSpacing={6} fz="sm" withRowBorders={false} className={classes.parameters}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>What it is</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {parameters.map((parameter) => (
            <Table.Tr key={parameter.name}>
              <Table.Td>
                <Code fz="sm">{parameter.name}</Code>
              </Table.Td>
              <Table.Td>
                <Group gap="2px 6px">
                  {parameter.type}
                  {parameter.required === false && (
                    <Badge color="gray" className={classes.fixed}>
                      optional
                    </Badge>
                  )}
                </Group>
              </Table.Td>
              <Table.Td>
                {parameter.description}
                {parameter.default !== undefined && parameter.default !== null && (
                  <Text span size="sm" c="dimmed">
                    {parameter.description ? ' · ' : ''}default {JSON.stringify(parameter.default)}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
