/** Stands at the foot of an editor while something is not saved, and saves with Ctrl-S. */
import { Button, Group, Paper, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import classes from './SaveBar.module.css';

type SaveBarProps = { changed: boolean; saving: boolean; onSave: () => void; onDiscard: () => void };

export function SaveBar({ changed, saving, onSave, onDiscard }: SaveBarProps) {
  useHotkeys(
    [
      [
        'mod+S',
        () => {
          if (changed && !saving) onSave();
        },
      ],
    ],
    [],
  );
  if (!changed) return null;
  return (
    <Paper withBorder shadow="md" className={classes.bar} role="region" aria-label="Unsaved changes">
      <Group justify="space-between" gap="sm">
        <Text size="sm" fw={550}>
          Not saved yet
        </Text>
        <Group gap="xs">
          <Button onClick={onDiscard} disabled={saving}>
            Discard
          </Button>
          <Button variant="filled" onClick={onSave} loading={saving}>
            Save
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}
