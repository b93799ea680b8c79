/** What a skill says, does and bounds, to read before one decides. */
import { Badge, Box, Code, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { Files } from './Files';
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

/** `codeFirst` is for where the talk was of code. */
export function SkillContent({ skill, codeFirst }: { skill: Detail; codeFirst?: boolean }) {
  return (
    <Stack gap="lg">
      {skill.procedure && (
        <>
          <Section title="Parameters">
            <Parameters parameters={skill.procedure.parameters} />
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
      <Files key={`${skill.id}:${skill.shown.number}`} skill={skill} codeFirst={codeFirst} />
    </Stack>
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
