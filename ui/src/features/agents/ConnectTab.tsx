/** How a host becomes this agent. */
import { List, Select, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { AppLink } from '@/components/AppLink';
import { Copyable } from '@/components/Copyable';
import type { Agent } from './draft';

const hosts = [
  { value: 'claude-code', label: 'Claude Code' },
  { value: 'codex', label: 'Codex' },
  { value: 'gemini', label: 'Gemini CLI' },
  { value: 'cursor', label: 'Cursor' },
  { value: 'vscode', label: 'VS Code' },
];

export function ConnectTab({ agent }: { agent: Agent }) {
  const [host, setHost] = useState('claude-code');
  const here = window.location.origin;
  return (
    <Stack gap="xl" maw="44rem">
      <Select
        label="Host"
        data={hosts}
        value={host}
        allowDeselect={false}
        onChange={(value) => value && setHost(value)}
        maw="20rem"
      />
      <Stack gap="sm" component="section">
        <Title order={2}>On the machine where the library is</Title>
        <Text size="sm" c="dimmed">
          In the folder of your project. It shows what it will change in which file, and asks.
        </Text>
        <Copyable label="Connect" text={`repertoire connect ${host} --agent ${agent.name}`} />
        <Copyable
          label="With the hooks of governance, and skills as files"
          text={`repertoire connect ${host} --agent ${agent.name} --hooks --skills`}
        />
      </Stack>
      <Stack gap="sm" component="section">
        <Title order={2}>From another machine</Title>
        <List size="sm" type="ordered" spacing={4}>
          <List.Item>
            <AppLink to="/settings/tokens" search={{ agent: agent.id }} size="sm">
              Create a token for this agent
            </AppLink>{' '}
            with the scopes read and write.
          </List.Item>
          <List.Item>Set it where the host is started; no secret is written into the entry.</List.Item>
        </List>
        <Copyable
          label="Connect over HTTP"
          text={`export REPERTOIRE_TOKEN=rpt_…\nrepertoire connect ${host} --url ${here} --agent ${agent.name}`}
        />
      </Stack>
      <Stack gap="sm" component="section">
        <Title order={2}>Anything else that speaks MCP</Title>
        <Text size="sm" c="dimmed">
          Streamable HTTP, with the token as Authorization: Bearer. A token that is bound to the agent needs
          no name in the address.
        </Text>
        <Copyable label="MCP address" text={`${here}/mcp?agent=${agent.name}`} />
      </Stack>
    </Stack>
  );
}
