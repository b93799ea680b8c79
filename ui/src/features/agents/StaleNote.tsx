import { Alert, Button, Group, Text } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import type { AgentEditing } from './useAgentDraft';

/** Says that somebody else saved meanwhile, and offers both ways on. */
export function StaleNote({ editing }: { editing: AgentEditing }) {
  if (!editing.behind) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconUsers size={18} />}
      title="Somebody else changed this agent"
      mb="md"
      role="alert"
    >
      <Text size="sm">
        {editing.theirs.length > 0
          ? `They changed: ${editing.theirs.join(', ')}. What you typed is still here.`
          : 'They saved it again as it was. What you typed is still here.'}
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={editing.keepMine}>
          Keep my changes, take the rest
        </Button>
        <Button size="xs" onClick={editing.discard}>
          Discard mine, show theirs
        </Button>
      </Group>
    </Alert>
  );
}
