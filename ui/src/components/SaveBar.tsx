/** The bar that appears when something changed: why, discard, save. Ctrl/Cmd-S saves. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './SaveBar.module.css';

type Props = {
  changed: boolean;
  /** What changed, in a few words. */
  what?: string;
  /** Why it changed, where that is kept. */
  message?: string;
  onMessage?: (message: string) => void;
  onSave: () => void;
  onDiscard: () => void;
  saving: boolean;
  /** Why it cannot be saved yet. */
  blocked?: string | null;
  children?: ReactNode;
};

export function SaveBar({
  changed,
  what = 'Not saved yet',
  blocked,
  saving,
  onMessage,
  children,
  ...props
}: Props) {
  const save = () => {
    if (changed && !blocked && !saving) props.onSave();
  };
  useHotkeys([['mod+S', save]], [], true);
  if (!changed) return null;
  return (
    <section className={classes.bar} data-foot-bar aria-label="Unsaved changes">
      {children}
      <Group gap="sm" justify="space-between">
        <Text size="sm" fw={550} c={blocked ? 'red' : undefined} className={classes.what}>
          {blocked ?? what}
        </Text>
        <Group gap="xs" className={classes.controls}>
          {onMessage && (
            <TextInput
              className={classes.message}
              aria-label="What changed, and why (optional)"
              placeholder="What changed, and why (optional)"
              maxLength={2000}
              readOnly={saving}
              value={props.message ?? ''}
              onChange={(event) => onMessage(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter') save();
              }}
            />
          )}
          <Button onClick={props.onDiscard} disabled={saving}>
            Discard
          </Button>
          <Button variant="filled" onClick={save} loading={saving} disabled={Boolean(blocked)}>
            Save
          </Button>
        </Group>
      </Group>
    </section>
  );
}
