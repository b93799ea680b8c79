/** Which clients of the standard load a bundle, and why one does not. */
import { Badge, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import type { Schemas } from '@/api/client';

type Verdict = Schemas['ClientVerdictView'];

const clients: Record<string, string> = {
  reference: 'Reference',
  'claude-code': 'Claude Code',
  codex: 'Codex',
  'gemini-cli': 'Gemini CLI',
  opencode: 'OpenCode',
  goose: 'Goose',
  'agent-framework': 'Agent Framework',
  openclaw: 'OpenClaw',
  anthropic: 'Anthropic',
  openai: 'OpenAI',
};

const outcomes: Record<string, { color: string; icon: typeof IconCheck; says: string }> = {
  loads: { color: 'green', icon: IconCheck, says: 'loads it' },
  loads_with_warning: { color: 'yellow', icon: IconAlertTriangle, says: 'loads it with a warning' },
  refuses: { color: 'red', icon: IconX, says: 'refuses it' },
};

export function Verdicts({ of }: { of: Verdict[] }) {
  const troubled = of.filter((verdict) => verdict.reasons.length > 0);
  return (
    <Stack gap="xs">
      <Group gap={6} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {of.map(({ client, outcome }) => {
          const known = outcomes[outcome];
          const Mark = known?.icon ?? IconAlertTriangle;
          return (
            <li key={client}>
              <Badge
                color={known?.color ?? 'gray'}
                leftSection={<Mark size={12} role="img" aria-label={known?.says ?? outcome} />}
              >
                {clients[client] ?? client}
              </Badge>
            </li>
          );
        })}
      </Group>
      {troubled.map(({ client, outcome, reasons }) => (
        <Text key={client} size="sm" c="dimmed">
          <Text span size="sm" fw={550} c="var(--mantine-color-text)">
            {clients[client] ?? client}
          </Text>{' '}
          {outcomes[outcome]?.says ?? outcome}: {reasons.join('; ')}
        </Text>
      ))}
    </Stack>
  );
}
