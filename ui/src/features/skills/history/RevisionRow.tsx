/** A revision: what, who, when; and what can be done with it. */
import { ActionIcon, Badge, Box, Button, Group, Menu, Text } from '@mantine/core';
import { IconArrowBackUp, IconDots, IconDownload, IconTag } from '@tabler/icons-react';
import { api, call, ifMatch } from '@/api/client';
import { refresh } from '@/api/queries';
import { ask, failed, told } from '@/components/feedback';
import { useNames } from '@/components/names';
import { Ago, bytes, counted } from '@/components/time';
import { bundleAddress, downloadFrom } from '../download';
import type { Skill } from '../useSkill';
import { askLabel } from './askLabel';
import classes from './history.module.css';
import type { Revision } from './queries';

type Props = { skill: Skill; revision: Revision; shown: boolean; locked: boolean; onShow: () => void };

export function RevisionRow({ skill, revision, shown, locked, onShow }: Props) {
  const names = useNames();
  const { number } = revision;
  const current = number === skill.revision;
  return (
    <li className={classes.row} data-shown={shown || undefined}>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Text ff="monospace" fw={600} miw={22} flex="0 0 auto" aria-label={`Revision ${number}`}>
          {number}
        </Text>
        <Box flex={1} miw={0}>
          <Group gap={6}>
            <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
              {revision.message || (number === 1 ? 'First revision' : 'Without a message')}
            </Text>
            {current && <Badge size="sm">Current</Badge>}
            {revision.label && (
              <Badge size="sm" color="teal">
                {revision.label}
              </Badge>
            )}
          </Group>
          <div className={classes.facts}>
            <span>{names.who(revision.author_id, revision.agent_id)}</span>
            <Ago at={revision.created_at} inherit />
            <span>
              {counted(revision.file_count, 'file')}, {bytes(revision.size)}
            </span>
          </div>
        </Box>
        <Group gap={4} wrap="nowrap">
          <Button
            size="xs"
            onClick={onShow}
            aria-label={`Changes of revision ${number}`}
            aria-pressed={shown}
          >
            Changes
          </Button>
          <Menu position="bottom-end" withinPortal>
            <Menu.Target>
              <ActionIcon aria-label={`Actions for revision ${number}`}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {!locked && !current && (
                <Menu.Item
                  leftSection={<IconArrowBackUp size={16} />}
                  onClick={() => void restore(skill, number)}
                >
                  Restore…
                </Menu.Item>
              )}
              {!locked && (
                <Menu.Item
                  leftSection={<IconTag size={16} />}
                  onClick={() => askLabel(skill.id, number, revision.label ?? null)}
                >
                  {revision.label ? 'Change the label…' : 'Set a label…'}
                </Menu.Item>
              )}
              <Menu.Item
                leftSection={<IconDownload size={16} />}
                onClick={() =>
                  void downloadFrom(
                    bundleAddress(skill.id, number),
                    `${skill.name}-${revision.label ?? number}.zip`,
                  )
                }
              >
                Download
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Group>
    </li>
  );
}

async function bringBack(id: string, number: number, version?: number) {
  try {
    return await call(
      api.POST('/api/v1/skills/{id}/restore', {
        params: { path: { id } },
        body: { revision: String(number) },
        headers: version === undefined ? undefined : ifMatch(version),
      }),
    );
  } finally {
    await refresh('skills', 'audit');
  }
}

async function restore(skill: Skill, number: number): Promise<void> {
  const sure = await ask({
    title: `Restore revision ${number}?`,
    message: `Its files become the new revision ${skill.revision + 1}. Nothing is lost: what is current now stays in the history.`,
    confirm: 'Restore',
    danger: false,
  });
  if (!sure) return;
  try {
    const { outcome, skill: after } = await bringBack(skill.id, number, skill.version);
    if (outcome === 'unchanged') told('The current revision has the same files already');
    else {
      told(`Revision ${number} is current again, as ${after.revision}`, () =>
        bringBack(skill.id, skill.revision),
      );
    }
  } catch (error) {
    failed(error);
  }
}
