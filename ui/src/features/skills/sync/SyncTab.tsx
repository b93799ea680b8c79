/** Where a skill is kept in step with providers, and where it can be used without any. */
import {
  ActionIcon,
  Button,
  Card,
  Code,
  CopyButton,
  Group,
  SimpleGrid,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import {
  IconCheck,
  IconCopy,
  IconDownload,
  IconPlugConnected,
  IconTerminal2,
  IconWorldCode,
} from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import { bundleAddress, downloadFrom } from '../download';
import { useSkill } from '../useSkill';
import classes from './sync.module.css';

export default function SyncTab() {
  const skill = useSkill();
  return (
    <Stack gap="xl">
      <section aria-labelledby="connections-title">
        <Title order={2} mb="sm" id="connections-title">
          Connections
        </Title>
        <div className={classes.frame}>
          <Table.ScrollContainer
            minWidth={560}
            scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Connections' } }}
          >
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Connection</Table.Th>
                  <Table.Th>Provider</Table.Th>
                  <Table.Th>Status</Table.Th>
                  <Table.Th>Last synced</Table.Th>
                  <Table.Th>Error</Table.Th>
                  <Table.Th>Sync</Table.Th>
                </Table.Tr>
              </Table.Thead>
            </Table>
          </Table.ScrollContainer>
          <Text ta="center" py="xl" px="md" c="dimmed" size="sm">
            {skill.origin === 'provider'
              ? 'This skill comes with a provider; it needs no sync.'
              : 'No provider connection is configured in this installation, so nothing is synced.'}
          </Text>
        </div>
      </section>
      <section aria-labelledby="use-title">
        <Title order={2} mb={4} id="use-title">
          Where it can be used now
        </Title>
        <Text c="dimmed" size="sm" mb="sm">
          {skill.usable
            ? 'None of these needs a connection: a new revision is there as soon as it is saved.'
            : 'Agents find it once it is active and on; people can export it at any time.'}
        </Text>
        <SimpleGrid cols={{ base: 1, md: 3 }}>
          <Way icon={IconTerminal2} title="In a coding agent">
            Gives Claude Code, Codex, Gemini CLI, Cursor or VS Code this library.
            <Copyable text="repertoire connect claude-code" />
          </Way>
          <Way icon={IconWorldCode} title="Over MCP">
            Any MCP host reads it at this address.
            <Copyable text={`skill://${skill.name}/SKILL.md`} />
          </Way>
          <Way icon={IconPlugConnected} title="As files">
            The same bytes, for every client of the standard.
            <Copyable text={`repertoire export ${skill.name} --to .claude/skills`} />
            <Button
              mt="xs"
              size="xs"
              leftSection={<IconDownload size={14} />}
              onClick={() => void downloadFrom(bundleAddress(skill.id), `${skill.name}.zip`)}
            >
              Export as zip
            </Button>
          </Way>
        </SimpleGrid>
      </section>
    </Stack>
  );
}

type WayProps = { icon: ComponentType<{ size: number; stroke: number }>; title: string; children: ReactNode };

function Way({ icon: Mark, title, children }: WayProps) {
  return (
    <Card withBorder padding="md">
      <Group gap="xs" mb={6}>
        <Mark size={18} stroke={1.7} aria-hidden />
        <Title order={3} size="h5">
          {title}
        </Title>
      </Group>
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
    </Card>
  );
}

function Copyable({ text }: { text: string }) {
  return (
    <Group gap={4} wrap="nowrap" mt="xs">
      <Code className={classes.code}>{text}</Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <ActionIcon size="sm" onClick={copy} aria-label={copied ? 'Copied' : `Copy ${text}`}>
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}
