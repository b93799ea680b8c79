/** What can be done to the chosen skills; it stands at the foot of the window while any are chosen. */
import { ActionIcon, Button, Group, Menu, Modal, Paper, Progress, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconArchive,
  IconDots,
  IconToggleLeft,
  IconToggleRight,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '@/api/client';
import { counted } from '@/components/time';
import { rightsOf } from '../rights';
import { useLibrary } from './context';
import { type Deed, deeds, tagDeed } from './deeds';
import classes from './library.module.css';
import { useDeeds } from './useDeeds';

type Skill = Schemas['SkillView'];

export function BulkBar({ deleted }: { deleted: boolean }) {
  const { me, selection } = useLibrary();
  const { progress, run, stop } = useDeeds((failed) => {
    selection.clear();
    selection.choose(failed);
  });
  const [tagging, { open: openTagging, close: closeTagging }] = useDisclosure();
  const chosen = [...selection.chosen.values()];
  if (chosen.length === 0 && !progress) return null;
  const begin = (deed: Deed) => void run(deed, chosen);
  const may = (skill: Skill) => (me ? rightsOf(me, skill) : undefined);
  return (
    <Paper
      shadow="lg"
      withBorder
      className={classes.bar}
      data-foot-bar
      role="region"
      aria-label="Chosen skills"
      aria-live="polite"
    >
      {progress ? (
        <Group wrap="nowrap">
          <Text size="sm" miw="11rem">
            {progress.doing} {progress.finished.toLocaleString('en')} of {progress.of.toLocaleString('en')}
          </Text>
          <Progress
            flex={1}
            miw={80}
            value={(100 * progress.finished) / Math.max(1, progress.of)}
            aria-label={progress.doing}
          />
          <Button size="compact-sm" onClick={stop}>
            Stop
          </Button>
        </Group>
      ) : (
        <Group gap="xs" wrap="nowrap">
          <ActionIcon aria-label="Choose none" onClick={selection.clear}>
            <IconX size={18} />
          </ActionIcon>
          <Text size="sm" fw={550} className={classes.count}>
            {counted(chosen.length, 'skill')}
          </Text>
          {deleted ? (
            <Button size="compact-sm" onClick={() => begin(deeds.bringBack)}>
              Bring back
            </Button>
          ) : (
            <>
              <Tool deed={deeds.enable} icon={<IconToggleRight size={18} />} begin={begin} />
              <Tool deed={deeds.disable} icon={<IconToggleLeft size={18} />} begin={begin} />
              <Tool deed={deeds.archive} icon={<IconArchive size={18} />} begin={begin} />
              <Tool deed={deeds.remove} icon={<IconTrash size={18} />} begin={begin} />
              <Menu position="top-end" width={220}>
                <Menu.Target>
                  <ActionIcon aria-label="More for the chosen skills" size="lg">
                    <IconDots size={18} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item onClick={() => begin(deeds.submit)}>{deeds.submit.label}</Menu.Item>
                  {chosen.some((skill) => may(skill)?.approve) && (
                    <Menu.Item onClick={() => begin(deeds.approve)}>{deeds.approve.label}</Menu.Item>
                  )}
                  <Menu.Item onClick={() => begin(deeds.reopen)}>{deeds.reopen.label}</Menu.Item>
                  <Menu.Item onClick={openTagging}>Add a tag…</Menu.Item>
                </Menu.Dropdown>
              </Menu>
            </>
          )}
        </Group>
      )}
      <Modal opened={tagging} onClose={closeTagging} title="Add a tag">
        <TagForm
          count={chosen.length}
          done={(tag) => {
            closeTagging();
            begin(tagDeed(tag));
          }}
        />
      </Modal>
    </Paper>
  );
}

function Tool({ deed, icon, begin }: { deed: Deed; icon: ReactNode; begin: (deed: Deed) => void }) {
  return (
    <>
      <Button size="compact-sm" visibleFrom="sm" leftSection={icon} onClick={() => begin(deed)}>
        {deed.label}
      </Button>
      <ActionIcon size="lg" hiddenFrom="sm" aria-label={deed.label} onClick={() => begin(deed)}>
        {icon}
      </ActionIcon>
    </>
  );
}

function TagForm({ count, done }: { count: number; done: (tag: string) => void }) {
  const [tag, setTag] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (tag.trim()) done(tag.trim());
      }}
    >
      <TextInput
        data-autofocus
        label="Tag"
        description={`Each of ${counted(count, 'skill')} gets a revision with it.`}
        value={tag}
        onChange={(event) => setTag(event.currentTarget.value)}
      />
      <Group justify="flex-end" mt="md">
        <Button type="submit" variant="filled" disabled={!tag.trim()}>
          Add
        </Button>
      </Group>
    </form>
  );
}
