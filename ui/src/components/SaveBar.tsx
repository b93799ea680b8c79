/** The bar that appears when something changed: why, discard, save, and what went wrong. Ctrl/Cmd-S saves. */
import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { ApiError, messageOf } from '@/api/client';
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
  /** Why the last save failed: shown here, where it is always in view. */
  error?: unknown;
  children?: ReactNode;
};

export function SaveBar({
  changed,
  what = 'Not saved yet',
  blocked,
  saving,
  error = null,
  onMessage,
  children,
  ...props
}: Props) {
  const save = () => {
    if (changed && !blocked && !saving) props.onSave();
  };
  useHotkeys([['mod+S', save]], [], true);
  const bar = useFocusKeeper(changed);
  if (!changed) return null;
  return (
    <section ref={bar} className={classes.bar} data-foot-bar aria-label="Unsaved changes">
      {error != null && <NotSaved error={error} />}
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

function NotSaved({ error }: { error: unknown }) {
  const findings = error instanceof ApiError ? error.findings.filter(({ level }) => level === 'error') : [];
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title="Not saved"
      role="alert"
      p="xs"
      mb="xs"
      className={classes.problem}
    >
      <Text size="sm">{messageOf(error)}</Text>
      {findings.length > 1 && (
        <Text size="sm" mt={2}>
          {findings.length} errors were found; they are listed above.
        </Text>
      )}
    </Alert>
  );
}

/** Gives the keyboard back to where it was before the bar got it, when the bar goes away. */
function useFocusKeeper(changed: boolean) {
  const bar = useRef<HTMLElement>(null);
  const before = useRef<HTMLElement | null>(null);
  const inside = useRef(false);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      inside.current = bar.current?.contains(target) ?? false;
      if (!inside.current && !target.closest('[role="dialog"]')) before.current = target;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  useLayoutEffect(() => {
    if (changed || !inside.current) return;
    inside.current = false;
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (lost && before.current?.isConnected) before.current.focus({ preventScroll: true });
  }, [changed]);
  return bar;
}
