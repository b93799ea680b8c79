/** What can be done with a whole conversation: another title, its end, its removal. */
import {
  ActionIcon,
  Button,
  Menu,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconDots, IconFlag, IconPencil, IconTrash } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ApiError, api, call } from '@/api/client';
import { queryClient, refresh } from '@/api/queries';
import { FormButtons } from '@/components/FormButtons';
import { ask, failed, told } from '@/components/feedback';
import { type SessionDetail, sessionQuery } from './queries';

type Outcome = 'succeeded' | 'failed' | 'abandoned';
type ActionsProps = { session: SessionDetail; own: boolean; mayDelete: boolean };

export function SessionActions({ session, own, mayDelete }: ActionsProps) {
  const navigate = useNavigate();
  const [form, setForm] = useState<'title' | 'end' | null>(null);
  const more = useRef<HTMLButtonElement>(null);
  const close = () => setForm(null);
  if (!own && !mayDelete) return null;

  const remove = async () => {
    const sure = await ask({
      title: 'Delete this conversation?',
      message:
        'Everything that was said and done in it is removed, and this cannot be undone. Skills that were saved in it stay.',
      confirm: 'Delete',
    });
    if (!sure) return;
    try {
      await call(api.DELETE('/api/v1/sessions/{id}', { params: { path: { id: session.id } } }));
      told('Conversation deleted');
      await navigate({ to: '/conversations' });
      queryClient.removeQueries({ queryKey: sessionQuery(session.id).queryKey });
      await refresh('sessions');
    } catch (error) {
      failed(error);
    }
  };
  return (
    <>
      {own && !session.outcome && (
        <Button leftSection={<IconFlag size={16} />} onClick={() => setForm('end')}>
          End
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon ref={more} size="lg" variant="default" aria-label="More actions">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {own && (
            <Menu.Item
              leftSection={<IconPencil size={16} />}
              onClick={() => {
                // The dialog gives the keyboard back to where it was; the menu is gone by then.
                more.current?.focus();
                setForm('title');
              }}
            >
              Rename
            </Menu.Item>
          )}
          {mayDelete && (
            <Menu.Item
              leftSection={<IconTrash size={16} />}
              c="var(--mantine-color-error)"
              onClick={() => void remove()}
            >
              Delete
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={form === 'title'} onClose={close} title="Rename">
        <RenameForm session={session} onClose={close} />
      </Modal>
      <Modal opened={form === 'end'} onClose={close} title="End this conversation">
        <EndForm session={session} onClose={close} />
      </Modal>
    </>
  );
}

function RenameForm({ session, onClose }: { session: SessionDetail; onClose: () => void }) {
  const [title, setTitle] = useState(session.title);
  const rename = async (text: string) => {
    const { queryKey } = sessionQuery(session.id);
    const before = queryClient.getQueryData(queryKey);
    if (before) queryClient.setQueryData(queryKey, { ...before, title: text });
    await call(
      api.PATCH('/api/v1/sessions/{id}', {
        params: { path: { id: session.id } },
        body: { title: text },
      }),
    );
    await refresh('sessions');
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rename(title.trim()).then(
          () => told('Renamed', () => rename(session.title)),
          (error) => {
            failed(error);
            void refresh('sessions');
          },
        );
        onClose();
      }}
    >
      <TextInput
        data-autofocus
        label="Title"
        maxLength={200}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <FormButtons mt="md" onCancel={onClose}>
        Rename
      </FormButtons>
    </form>
  );
}

function EndForm({ session, onClose }: { session: SessionDetail; onClose: () => void }) {
  const [outcome, setOutcome] = useState<Outcome>('succeeded');
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const end = async () => {
    setBusy(true);
    try {
      await call(
        api.POST('/api/v1/sessions/{id}/complete', {
          params: { path: { id: session.id } },
          body: { outcome, reason: reason.trim() || null },
        }),
      );
      told(`Conversation ended: ${outcome}`);
      onClose();
    } catch (error) {
      failed(error);
      if (error instanceof ApiError && error.code === 'session_completed') onClose();
    } finally {
      setBusy(false);
      await refresh('sessions');
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void end();
      }}
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Nothing can be added afterwards. Learning reads how it ended.
        </Text>
        <SegmentedControl
          aria-label="Outcome"
          value={outcome}
          onChange={(value) => setOutcome(value as Outcome)}
          data={[
            { value: 'succeeded', label: 'Succeeded' },
            { value: 'failed', label: 'Failed' },
            { value: 'abandoned', label: 'Abandoned' },
          ]}
        />
        <Textarea
          label="Why"
          placeholder="Optional"
          autosize
          minRows={2}
          maxLength={2000}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </Stack>
      <FormButtons mt="md" onCancel={onClose} loading={busy}>
        End it
      </FormButtons>
    </form>
  );
}
