/** The workspace this browser looks at, and the others of the installation. */
import { Alert, Badge, Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconLock, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { refresh, workspacesQuery } from '@/api/queries';
import { AmountInput } from '@/components/AmountInput';
import { FormButtons } from '@/components/FormButtons';
import { told } from '@/components/feedback';
import list from '@/components/list.module.css';
import { Loaded } from '@/components/page';
import { SaveBar } from '@/components/SaveBar';
import { Section } from '@/components/Section';
import { nameProblem, slug } from '@/components/slug';
import { useStanding } from '@/components/standing';
import { useUnsavedGuard } from '@/components/unsaved';
import { useBusy } from '@/components/useBusy';
import { turnTo } from '@/shell/UserMenu';
import { atField } from './refused';
import classes from './settings.module.css';

type Workspace = Schemas['WorkspaceView'];

export default function WorkspaceTab() {
  const workspace = useQuery({
    queryKey: ['workspace', 'here'],
    queryFn: () => call(api.GET('/api/v1/workspace')),
  });
  return (
    <Loaded query={workspace}>
      {(here) => (
        <Stack gap="xl" maw="44rem">
          <Editor key={here.id} here={here} />
          <Others here={here} />
        </Stack>
      )}
    </Loaded>
  );
}

const read = (workspace: Workspace) => ({
  title: workspace.title,
  hide_existence: workspace.hide_existence,
  undelete_window_hours: workspace.undelete_window_hours as number | null,
  draft_expiry_days: workspace.draft_expiry_days as number | null,
});

function Editor({ here }: { here: Workspace }) {
  const { admin } = useStanding();
  const [draft, setDraft] = useState(read(here));
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [base, setBase] = useState(here);
  const stored = read(base);
  const parts = Object.keys(stored) as (keyof typeof stored)[];
  const changes = Object.fromEntries(
    parts.filter((part) => draft[part] !== stored[part]).map((part) => [part, draft[part]]),
  );
  const changed = Object.keys(changes).length > 0;
  useUnsavedGuard(changed);
  useEffect(() => {
    if (changed || saving) return;
    setBase(here);
    setDraft(read(here));
  }, [here, changed, saving]);

  const hoursWrong =
    draft.undelete_window_hours === null || draft.undelete_window_hours > 8_760 ? 'From 0 to 8,760' : null;
  const daysWrong =
    draft.draft_expiry_days === null || draft.draft_expiry_days > 3_650 ? 'From 0 to 3,650' : null;

  const save = async () => {
    if (hoursWrong || daysWrong || !draft.title.trim()) return;
    setSaving(true);
    setError(null);
    try {
      // Only what was changed is sent, so that others' changes stay.
      const now = await call(api.PATCH('/api/v1/workspace', { body: changes }));
      setBase(now);
      // What was typed meanwhile is not saved yet.
      setDraft((latest) => {
        const since = parts.filter((part) => latest[part] !== draft[part]);
        return { ...read(now), ...Object.fromEntries(since.map((part) => [part, latest[part]])) };
      });
      told('Saved');
      await refresh('workspace', 'users');
    } catch (thrown) {
      setError(thrown);
    } finally {
      setSaving(false);
    }
  };
  const put = (part: Partial<typeof draft>) => {
    setError(null);
    setDraft((now) => ({ ...now, ...part }));
  };

  return (
    <Section title="This workspace" about={`Its name is ${here.name}; everything you see lives in it.`}>
      {!admin && (
        <Alert icon={<IconLock size={18} />} color="gray" py="xs">
          Admins change these; you can look.
        </Alert>
      )}
      <Stack gap="md">
        <TextInput
          label="Title"
          maxLength={200}
          maw="26rem"
          readOnly={!admin}
          value={draft.title}
          error={draft.title.trim() ? null : 'A workspace needs a title'}
          onChange={(event) => put({ title: event.currentTarget.value })}
        />
        <Switch
          label="Hide what people may not see"
          description="Answers “not found” instead of “forbidden”, so that nobody learns that it exists."
          disabled={!admin}
          checked={draft.hide_existence}
          onChange={(event) => put({ hide_existence: event.currentTarget.checked })}
        />
        <AmountInput
          label="Undelete window"
          description="For how long a deleted skill can be brought back; 0 purges at once"
          suffix=" hours"
          maw="26rem"
          readOnly={!admin}
          value={draft.undelete_window_hours}
          error={hoursWrong}
          onChange={(value) => put({ undelete_window_hours: value })}
        />
        <AmountInput
          label="Draft expiry"
          description="After how long an unconfirmed draft is archived; 0 is never"
          suffix=" days"
          maw="26rem"
          readOnly={!admin}
          value={draft.draft_expiry_days}
          error={daysWrong}
          onChange={(value) => put({ draft_expiry_days: value })}
        />
      </Stack>
      <SaveBar
        changed={changed}
        saving={saving}
        error={error}
        blocked={
          hoursWrong || daysWrong
            ? 'A number is out of range'
            : draft.title.trim()
              ? null
              : 'A title is needed'
        }
        onSave={() => void save()}
        onDiscard={() => put(read(base))}
      />
    </Section>
  );
}

function Others({ here }: { here: Workspace }) {
  const { operator } = useStanding();
  const all = useQuery(workspacesQuery);
  const create = () =>
    modals.open({
      modalId: 'create-workspace',
      title: 'New workspace',
      children: <WorkspaceForm done={() => modals.close('create-workspace')} />,
    });
  return (
    <Section
      title="Workspaces"
      about="Each is apart from the others: its own people, agents, skills and log."
      actions={
        operator && (
          <Button leftSection={<IconPlus size={18} />} onClick={create}>
            New workspace
          </Button>
        )
      }
    >
      <Loaded query={all}>
        {({ items }) => (
          <ul className={list.framed} aria-label="Workspaces">
            {items.map((workspace) => (
              <li key={workspace.id} className={classes.row}>
                <div className={classes.main}>
                  <Text fw={600}>{workspace.title || workspace.name}</Text>
                  <Text size="sm" c="dimmed" ff="monospace">
                    {workspace.name}
                  </Text>
                </div>
                {workspace.id === here.id ? (
                  <Badge color="gray">You are here</Badge>
                ) : (
                  <Button
                    size="xs"
                    aria-label={`Turn to ${workspace.title || workspace.name}`}
                    onClick={() => turnTo(workspace.name)}
                  >
                    Turn to it
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function WorkspaceForm({ done }: { done: () => void }) {
  const [title, setTitle] = useState('');
  const [ownName, setOwnName] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const { busy, doing } = useBusy(atField(setProblem));
  const name = ownName ?? slug(title);
  const create = (event: FormEvent) => {
    event.preventDefault();
    void doing(async () => {
      const made = await call(
        api.POST('/api/v1/workspaces', { body: { name, title: title.trim() || name } }),
      );
      await refresh('workspace');
      done();
      told(`${made.title} is there, and you have every role in it`);
    });
  };
  return (
    <form onSubmit={create}>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Title"
          maxLength={200}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <Group grow>
          <TextInput
            label="Name"
            description="What commands and clients call it"
            required
            maxLength={64}
            value={name}
            error={problem}
            onChange={(event) => {
              setOwnName(event.currentTarget.value);
              setProblem(undefined);
            }}
          />
        </Group>
        <FormButtons onCancel={done} loading={busy} disabled={nameProblem(name) !== null}>
          Create
        </FormButtons>
      </Stack>
    </form>
  );
}
