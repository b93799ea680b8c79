/** The bar of an editor that saves a revision: what changed, save, discard. It stays in sight while one scrolls. */
import { Button, Group, Paper, Text, TextInput } from '@mantine/core';
import classes from './RevisionBar.module.css';

type Props = {
  changed: boolean;
  saving: boolean;
  /** Why it cannot be saved as it is. */
  blocked?: string | null;
  message: string;
  onMessage: (message: string) => void;
  onSave: () => void;
  onDiscard: () => void;
};

export function RevisionBar({ changed, saving, blocked, message, onMessage, onSave, onDiscard }: Props) {
  return (
    <Paper withBorder shadow="sm" p="sm" radius="md" className={classes.bar} role="region" aria-label="Save">
      <Group gap="sm" wrap="wrap">
        <TextInput
          className={classes.message}
          aria-label="What changed"
          placeholder="What changed, in a few words (optional)"
          value={message}
          maxLength={2000}
          disabled={!changed}
          onChange={(event) => onMessage(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && onSave()}
        />
        <Group gap="xs" ml="auto">
          <Button onClick={onDiscard}>{changed ? 'Discard' : 'Close'}</Button>
          <Button variant="filled" loading={saving} disabled={!changed || Boolean(blocked)} onClick={onSave}>
            Save revision
          </Button>
        </Group>
      </Group>
      {changed && blocked && (
        <Text size="sm" c="var(--mantine-color-error)" mt={6} role="status">
          {blocked}
        </Text>
      )}
    </Paper>
  );
}
