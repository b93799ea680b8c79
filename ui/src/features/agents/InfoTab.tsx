import { Stack, Text, Textarea, TextInput } from '@mantine/core';
import { Ago } from '@/components/time';
import type { TabProps } from './AgentEditor';
import type { Agent } from './draft';

export function InfoTab({
  draft,
  change,
  locked,
  agent,
  problem,
}: TabProps & { agent: Agent; problem: string | null }) {
  return (
    <Stack gap="md" maw="40rem">
      <TextInput
        label="Title"
        description="What people call it"
        maxLength={200}
        readOnly={locked}
        value={draft.title}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      <TextInput
        label="Name"
        description="What hosts and commands call it; hosts that are connected under the old name must be connected again"
        required
        maxLength={64}
        readOnly={locked}
        value={draft.name}
        error={problem}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        description="What it is for"
        autosize
        minRows={3}
        maxLength={2000}
        readOnly={locked}
        value={draft.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
      <Text size="sm" c="dimmed" component="div">
        Made <Ago at={agent.created_at} span inherit />, last changed{' '}
        <Ago at={agent.updated_at} span inherit />, version {agent.version}
      </Text>
    </Stack>
  );
}
