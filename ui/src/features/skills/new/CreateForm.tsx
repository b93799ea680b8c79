/** What the forms for a new skill share: name and description, where it goes, what was refused, and sending it. */
import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { messageOf } from '@/api/client';
import { saidOf } from '../info/fields';
import { Placement, Refused } from './Placement';
import type { useCreate, usePlacement } from './useCreate';

type CreateFormProps = {
  ready: boolean;
  save: () => void;
  creation: ReturnType<typeof useCreate>;
  placement: ReturnType<typeof usePlacement>;
  children: ReactNode;
};

export function CreateForm({ ready, save, creation, placement, children }: CreateFormProps) {
  const { busy, error, taken } = creation;
  const [place, setPlace] = placement;
  const send = () => {
    if (ready && !busy) save();
  };
  useHotkeys([['mod+S', send]], [], true);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Stack>
        {children}
        <Placement value={place} onChange={setPlace} />
        <Refused error={error} taken={taken} />
        <Group justify="flex-end">
          <Button type="submit" variant="filled" loading={busy} disabled={!ready}>
            Create skill
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Named = { name: string; description: string };
type NamedFieldsProps = {
  value: Named;
  onChange: (change: Partial<Named>) => void;
  /** What is said about names. */
  about: string;
  /** Why the server refused, which is shown where it belongs. */
  error: unknown;
};

export function NamedFields({ value, onChange, about, error }: NamedFieldsProps) {
  const said = saidOf(error);
  return (
    <>
      <TextInput
        label="Name"
        description={about}
        required
        maxLength={64}
        value={value.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={said.name ? messageOf(new Error(said.name)) : null}
      />
      <Textarea
        label="Description"
        description="What it does and when to use it. This is what a model decides by."
        required
        rows={3}
        resize="vertical"
        maxLength={1024}
        value={value.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
        error={said.description}
      />
    </>
  );
}
