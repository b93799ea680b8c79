/** What became of each skill of an archive. */
import { Card, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { messageOf, type Schemas } from '@/api/client';
import { StatusBadge } from '@/components/badges';
import { Findings } from '../Findings';

export function Imported({ of }: { of: Schemas['ImportView'] }) {
  return (
    <Stack gap="xs" role="status" aria-label="What was imported">
      {of.results.map(({ published, problem }, at) => (
        <Card withBorder padding="sm" key={of.folders[at] ?? at}>
          {published ? (
            <Group justify="space-between">
              <Link to="/skills/$skillId" params={{ skillId: published.skill.id }}>
                {published.skill.title}
              </Link>
              <StatusBadge status={published.skill.status} enabled={published.skill.enabled} />
            </Group>
          ) : (
            <>
              <Text fw={550}>{of.folders[at]}</Text>
              <Text size="sm" c="red">
                {messageOf(new Error(problem?.detail ?? 'it did not go in'))}
              </Text>
            </>
          )}
          <Findings of={published?.findings ?? problem?.findings ?? []} />
        </Card>
      ))}
    </Stack>
  );
}
