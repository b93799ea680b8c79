/** Gives a revision a version label, or takes it away. */
import { Button, Group, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { api, call, messageOf } from '@/api/client';
import { refresh } from '@/api/queries';
import { told } from '@/components/feedback';
import { useBusy } from '@/components/useBusy';

export function askLabel(id: string, number: number, label: string | null): void {
  const modal = modals.open({
    title: `Label of revision ${number}`,
    children: <LabelForm id={id} number={number} label={label} close={() => modals.close(modal)} />,
  });
}

type Props = { id: string; number: number; label: string | null; close: () => void };

function setLabel(id: string, number: number, label: string | null) {
  return call(
    api.PUT('/api/v1/skills/{id}/revisions/{revision}/label', {
      params: { path: { id, revision: number } },
      body: { label },
    }),
  ).finally(() => refresh('skills', 'audit'));
}

function LabelForm({ id, number, label, close }: Props) {
  const [text, setText] = useState(label ?? '');
  const [error, setError] = useState<string | null>(null);
  const { busy, doing } = useBusy((thrown) => setError(messageOf(thrown)));
  const save = (next: string | null) =>
    doing(async () => {
      await setLabel(id, number, next);
      close();
      told(next ? `Revision ${number} is ${next}` : 'Label removed', () => setLabel(id, number, label));
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save(text.trim());
      }}
    >
      <TextInput
        data-autofocus
        label="Label"
        description="A version such as 1.2.0; agents can be pinned to it"
        placeholder="1.2.0"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setError(null);
        }}
        error={error}
      />
      <Group justify="space-between" mt="md">
        <div>
          {label && (
            <Button color="red" variant="light" disabled={busy} onClick={() => void save(null)}>
              Remove the label
            </Button>
          )}
        </div>
        <Group gap="xs">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="filled" loading={busy} disabled={!text.trim()}>
            Save
          </Button>
        </Group>
      </Group>
    </form>
  );
}
