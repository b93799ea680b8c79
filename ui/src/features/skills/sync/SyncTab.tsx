/** Where a skill is kept in step with providers, and where it can be used without any. */
import { Button, Card, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { IconDownload, IconPlugConnected, IconTerminal2, IconWorldCode } from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import { Copyable } from '@/components/Copyable';
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
          <Way
            icon={IconTerminal2}
            title="In a coding agent"
            about="Gives Claude Code, Codex, Gemini CLI, Cursor or VS Code this library."
          >
            <Copyable label="In a terminal" text="repertoire connect claude-code" />
          </Way>
          <Way icon={IconWorldCode} title="Over MCP" about="Any MCP host reads it at this address.">
            <Copyable label="Address" text={`skill://${skill.name}/SKILL.md`} />
          </Way>
          <Way
            icon={IconPlugConnected}
            title="As files"
            about="The same bytes, for every client of the standard."
          >
            <Copyable label="In a terminal" text={`repertoire export ${skill.name} --to .claude/skills`} />
            <Button
              size="xs"
              style={{ alignSelf: 'flex-start' }}
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

type WayProps = {
  icon: ComponentType<{ size: number; stroke: number }>;
  title: string;
  about: string;
  children: ReactNode;
};

function Way({ icon: Mark, title, about, children }: WayProps) {
  return (
    <Card withBorder padding="md">
      <Group gap="xs" mb={6}>
        <Mark size={18} stroke={1.7} aria-hidden />
        <Title order={3} size="h5">
          {title}
        </Title>
      </Group>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {about}
        </Text>
        {children}
      </Stack>
    </Card>
  );
}
