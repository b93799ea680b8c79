/** The cases that stand beside a policy in `tests/`, put to it as it is in the editor. */
import { Badge, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { AppLink } from '@/components/AppLink';
import { Loaded } from '@/components/page';
import { isTable, testsQuery } from './drafts';
import classes from './policy.module.css';

type Props = { skill: Schemas['SkillDetailView']; sidecar: string };

export function TestTables({ skill, sidecar }: Props) {
  const some = skill.files.some(({ path }) => isTable(path));
  return (
    <Paper withBorder p="md" radius="md" component="section" aria-label="Tests">
      <Title order={2} size="h5" mb="xs">
        Tests
      </Title>
      {some ? (
        <Tested skill={skill} sidecar={sidecar} />
      ) : (
        <Text size="sm" c="dimmed">
          Cases in <Code>tests/*.yaml</Code> of the bundle say what this policy must allow and deny; they are
          tried here at each change.{' '}
          <AppLink to="/skills/$skillId/content" params={{ skillId: skill.id }} size="sm">
            Add a file
          </AppLink>
        </Text>
      )}
    </Paper>
  );
}

function Tested({ skill, sidecar }: Props) {
  return (
    <Loaded query={useQuery(testsQuery(skill, sidecar))}>
      {({ cases, passed, failed }) => (
        <>
          <Group gap="xs" mb="xs" role="status">
            <Badge color="green">{passed} passed</Badge>
            {failed > 0 && <Badge color="red">{failed} failed</Badge>}
          </Group>
          <Stack gap={0}>
            {cases.map((one) => (
              <Group
                key={`${one.file}:${one.line}`}
                gap="xs"
                wrap="nowrap"
                align="flex-start"
                className={classes.case}
              >
                {one.passed ? (
                  <IconCircleCheck
                    size={18}
                    color="var(--mantine-color-green-6)"
                    role="img"
                    aria-label="Passed"
                  />
                ) : (
                  <IconCircleX size={18} color="var(--mantine-color-error)" role="img" aria-label="Failed" />
                )}
                <div>
                  <Text size="sm">{one.name}</Text>
                  <Text size="xs" c="dimmed">
                    {one.passed ? one.actual : `expected ${one.expected}, came out ${one.actual}`}
                    {!one.passed && one.reason && `: ${one.reason}`} · {one.file}:{one.line}
                  </Text>
                </div>
              </Group>
            ))}
          </Stack>
        </>
      )}
    </Loaded>
  );
}
