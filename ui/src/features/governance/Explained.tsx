/** What would be decided: the verdict, the active policies, what they demand, and why. */
import { Alert, Badge, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { Constraints, PolicyLink, Reasons, Verdict } from './parts';

export function Explained({ answer }: { answer: Schemas['ExplainedView'] }) {
  const skillOf = (policy: string) => answer.policies.find(({ id }) => id === policy)?.skill_id;
  const quiet = answer.policies.filter((policy) => !policy.active);
  return (
    <Stack gap="md" role="region" aria-label="Answer">
      {answer.verdict ? (
        <Verdict verdict={answer.verdict} skillOf={skillOf} />
      ) : (
        <Text size="sm" c="dimmed">
          Name a tool to have a call judged. This is what holds for the task.
        </Text>
      )}
      <Part title="Active policies">
        {answer.active.length === 0 ? (
          <Text size="sm" c="dimmed">
            None is active for this task.
          </Text>
        ) : (
          <Stack gap="xs">
            {answer.active.map((policy) => (
              <div key={policy.id}>
                <Group gap="xs">
                  <PolicyLink id={policy.id} skill={policy.skill_id} />
                  <Text size="sm">{policy.name}</Text>
                  <Text size="sm" c="dimmed">
                    priority {policy.priority}
                    {policy.revision ? ` · revision ${policy.revision}` : ''}
                  </Text>
                  {policy.scope && <Badge color="gray">{policy.scope}</Badge>}
                </Group>
                {(policy.failure || policy.unevaluated) && (
                  <Alert color="red" p="xs" mt={4}>
                    {policy.failure
                      ? `Its constraints could not be had, so every call is denied: ${policy.failure}`
                      : `Its activation could not be evaluated, so it holds: ${policy.unevaluated}`}
                  </Alert>
                )}
              </div>
            ))}
          </Stack>
        )}
        {quiet.length > 0 && (
          <Text size="sm" c="dimmed" mt="xs">
            In force but not active here: {quiet.map(({ id }) => id).join(', ')}
          </Text>
        )}
      </Part>
      <Part title="Why, in order">
        <Reasons of={answer.reasons} />
      </Part>
      <Part title="What holds together">
        <Constraints of={answer.constraints} />
      </Part>
      {answer.planning && (
        <Part title="Added to the planning prompt">
          <Code block tabIndex={0} role="group" aria-label="Added to the planning prompt">
            {answer.planning}
          </Code>
        </Part>
      )}
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" radius="md" component="section">
      <Title order={2} size="h6" mb="xs">
        {title}
      </Title>
      {children}
    </Paper>
  );
}
