/** What the app says back: short notices, with undo where there is one, and questions before what cannot be undone. */
import { Button, Group, Text, Textarea } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { messageOf } from '@/api/client';
import { FormButtons } from './FormButtons';

/** Says that something was done; `undo` takes it back. */
export function told(message: string, undo?: () => Promise<unknown>): void {
  const id = notifications.show({
    message: undo ? (
      <Group justify="space-between" wrap="nowrap" gap="md">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          onClick={() => {
            notifications.hide(id);
            undo().then(() => told('Undone'), failed);
          }}
        >
          Undo
        </Button>
      </Group>
    ) : (
      message
    ),
    icon: <IconCheck size={18} />,
    color: 'teal',
    autoClose: undo ? 10_000 : 4_000,
    closeButtonProps: { 'aria-label': 'Close notice' },
  });
}

/** Says that something did not work, and why. */
export function failed(error: unknown): void {
  notifications.show({
    title: 'That did not work',
    message: messageOf(error),
    icon: <IconAlertTriangle size={18} />,
    color: 'red',
    autoClose: 8_000,
    closeButtonProps: { 'aria-label': 'Close notice' },
    role: 'alert',
  });
}

type Question = { title: string; message: ReactNode; confirm: string; danger?: boolean };

/** Asks before something that cannot be undone. */
export function ask({ title, message, confirm, danger = true }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: <Text size="sm">{message}</Text>,
      labels: { confirm, cancel: 'Cancel' },
      confirmProps: { color: danger ? 'red' : undefined, variant: 'filled' },
      onConfirm: () => resolve(true),
      onCancel: () => resolve(false),
      onClose: () => resolve(false),
    });
  });
}

type ReasonQuestion = {
  title: string;
  label: string;
  placeholder?: string;
  confirm: string;
  required?: boolean;
};

/** Asks for a reason; null when it was thought better of. */
export function askReason(question: ReasonQuestion): Promise<string | null> {
  return new Promise((resolve) => {
    const id = modals.open({
      title: question.title,
      onClose: () => resolve(null),
      children: (
        <ReasonForm
          {...question}
          done={(reason) => {
            resolve(reason);
            modals.close(id);
          }}
        />
      ),
    });
  });
}

function ReasonForm({
  label,
  placeholder,
  confirm,
  required,
  done,
}: ReasonQuestion & { done: (reason: string | null) => void }) {
  const [reason, setReason] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        done(reason.trim());
      }}
    >
      <Textarea
        data-autofocus
        autosize
        minRows={3}
        label={label}
        placeholder={placeholder}
        required={required}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <FormButtons mt="md" onCancel={() => done(null)} color="red" disabled={required && !reason.trim()}>
        {confirm}
      </FormButtons>
    </form>
  );
}
