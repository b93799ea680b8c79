import { ActionIcon, Group, Menu, Text, UnstyledButton } from '@mantine/core';
import {
  IconBolt,
  IconDotsVertical,
  IconDownload,
  IconFile,
  IconFileCode,
  IconFileText,
  IconPencil,
  IconPhoto,
  IconTrash,
} from '@tabler/icons-react';
import { languageOf } from '@/components/code/language';
import { bytes } from '@/components/time';
import classes from './content.module.css';
import { changeOf, type Entry, isSkillFile, sizeOf } from './draft';
import { mediaType } from './media';

type Props = {
  entry: Entry;
  open: boolean;
  locked: boolean;
  onOpen: () => void;
  onRename: () => void;
  onDownload: () => void;
  onRemove: () => void;
  onExecutable: () => void;
};

export function FileRow({ entry, open, locked, ...on }: Props) {
  const changed = changeOf(entry);
  const type = mediaType(entry);
  const cut = entry.path.lastIndexOf('/') + 1;
  const Mark = iconOf(entry.path, type);
  return (
    <li className={classes.row} data-open={open || undefined}>
      <UnstyledButton
        className={classes.name}
        onClick={on.onOpen}
        aria-current={open ? 'true' : undefined}
        title={entry.path}
      >
        <Group gap={6} wrap="nowrap">
          <Mark size={16} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
          <span className={classes.path}>
            {cut > 0 && (
              <Text span c="dimmed" size="sm">
                {entry.path.slice(0, cut)}
              </Text>
            )}
            {entry.path.slice(cut)}
          </span>
          {entry.executable && (
            <IconBolt size={14} role="img" aria-label="executable" style={{ flex: 'none' }} />
          )}
          {changed && (
            <span className={classes.dot} role="img" aria-label={changed.kind} title={changed.kind} />
          )}
        </Group>
        <Text size="xs" c="dimmed" truncate fw={400}>
          {bytes(sizeOf(entry))} · {type}
        </Text>
      </UnstyledButton>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon size="sm" mr={4} aria-label={`Actions for ${entry.path}`}>
            <IconDotsVertical size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconDownload size={16} />} onClick={on.onDownload}>
            Download
          </Menu.Item>
          {!locked && (
            <>
              {!isSkillFile(entry.path) && (
                <Menu.Item leftSection={<IconPencil size={16} />} onClick={on.onRename}>
                  Rename…
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconBolt size={16} />} onClick={on.onExecutable}>
                {entry.executable ? 'Make not executable' : 'Make executable'}
              </Menu.Item>
              {!isSkillFile(entry.path) && (
                <Menu.Item
                  c="var(--mantine-color-error)"
                  leftSection={<IconTrash size={16} />}
                  onClick={on.onRemove}
                >
                  Remove
                </Menu.Item>
              )}
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}

function iconOf(path: string, type: string) {
  if (type.startsWith('image/')) return IconPhoto;
  const language = languageOf(path);
  if (language === 'markdown' || type.startsWith('text/plain')) return IconFileText;
  return language === 'text' ? IconFile : IconFileCode;
}
