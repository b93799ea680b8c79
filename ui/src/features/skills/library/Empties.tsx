/** What the library says when it has nothing to show: how skills get here, or what hides them. */
import {
  ActionIcon,
  Button,
  Code,
  CopyButton,
  Group,
  Paper,
  SimpleGrid,
  Text,
  ThemeIcon,
  Title,
} from '@mantine/core';
import {
  IconCheck,
  IconCopy,
  IconFilterOff,
  IconPackageImport,
  IconPencil,
  IconSparkles,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty } from '@/components/page';
import { filtersOn, type LibrarySearch, withoutFilters } from '../search';
import classes from './library.module.css';

type EmptyProps = { search: LibrarySearch; change: (next: LibrarySearch) => void; chooseFiles: () => void };

export function NothingHere({ search, change, chooseFiles }: EmptyProps) {
  const on = filtersOn(search);
  if (search.deleted && on.length === 1) {
    return (
      <Empty
        icon={IconTrash}
        title="Nothing that could be brought back"
        actions={<Button onClick={() => change(withoutFilters(search))}>Back to the library</Button>}
      >
        Deleted skills wait here for as long as the workspace's settings say, and are then gone for good.
      </Empty>
    );
  }
  if (on.length > 0) {
    return (
      <Empty
        icon={IconFilterOff}
        title="No skill passes these filters"
        actions={
          <Button variant="filled" onClick={() => change(withoutFilters(search))}>
            Clear the filters
          </Button>
        }
      >
        There are skills; each of them lacks one of the things asked for.
      </Empty>
    );
  }
  return <FirstSteps chooseFiles={chooseFiles} />;
}

function FirstSteps({ chooseFiles }: { chooseFiles: () => void }) {
  return (
    <section className={classes.first} aria-labelledby="first-steps">
      <Title order={2} id="first-steps" ta="center">
        Your library is empty. Three ways to fill it
      </Title>
      <Text c="dimmed" ta="center" mb="xl" mt={4} maw="40rem" mx="auto">
        A skill is a folder with a SKILL.md: instructions an agent reads, code it runs, or bounds it keeps to.
      </Text>
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
        <Way
          icon={<IconPencil size={22} stroke={1.7} />}
          title="Write one"
          action={
            <Button component={Link} to="/skills/new" variant="filled">
              New skill
            </Button>
          }
        >
          Describe one kind of task and how it is done. Agents find it by what it says.
        </Way>
        <Way
          icon={<IconPackageImport size={22} stroke={1.7} />}
          title="Bring what you have"
          action={<Button onClick={chooseFiles}>Choose files</Button>}
          command="repertoire import FOLDER"
        >
          Drop bundles anywhere on this page: a zip, or folders with a SKILL.md. Or from a terminal:
        </Way>
        <Way
          icon={<IconSparkles size={22} stroke={1.7} />}
          title="Let an agent learn"
          action={
            <Button component={Link} to="/agents/new">
              New agent
            </Button>
          }
          command="repertoire connect claude-code"
        >
          Connect the agent you work with. What it solves once, it keeps as a skill.
        </Way>
      </SimpleGrid>
    </section>
  );
}

type WayProps = { icon: ReactNode; title: string; action: ReactNode; command?: string; children: ReactNode };

function Way({ icon, title, action, command, children }: WayProps) {
  return (
    <Paper withBorder p="lg" radius="lg" className={classes.way}>
      <ThemeIcon size={40} radius="md" variant="light" aria-hidden>
        {icon}
      </ThemeIcon>
      <Title order={3} fz="md" mt="sm">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mt={4}>
        {children}
      </Text>
      {command && <Command line={command} />}
      <div className={classes.wayAction}>{action}</div>
    </Paper>
  );
}

function Command({ line }: { line: string }) {
  return (
    <Group gap={4} wrap="nowrap" mt="sm">
      <Code className={classes.command}>{line}</Code>
      <CopyButton value={line}>
        {({ copied, copy }) => (
          <ActionIcon aria-label={copied ? 'Copied' : `Copy ${line}`} onClick={copy}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}
