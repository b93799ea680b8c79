import { Select, Stack, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type FormEvent, useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { refresh } from '@/api/queries';
import { ManyOf } from '@/components/choices';
import { FormButtons } from '@/components/FormButtons';
import { AgentPicker } from '@/components/pickers';
import { moment } from '@/components/time';
import { useBusy } from '@/components/useBusy';
import { Once } from './Once';

type Scope = Schemas['ScopeWord'];

const scopes: { value: Scope; label: string; about: string }[] = [
  { value: 'read', label: 'Read', about: 'Lists, reads and finds' },
  { value: 'write', label: 'Write', about: 'Makes and changes skills, runs code' },
  { value: 'review', label: 'Review', about: 'Approves and rejects, where the owner may' },
  { value: 'admin', label: 'Admin', about: 'Manages users, agents and settings, where the owner may' },
];

const spans = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'never', label: 'Never' },
];

export function TokenForm({ agent: first, done }: { agent: string | null; done: () => void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Scope[]>(['read', 'write']);
  const [agent, setAgent] = useState(first);
  const [days, setDays] = useState('90');
  const { busy, doing } = useBusy();
  const create = (event: FormEvent) => {
    event.preventDefault();
    void doing(async () => {
      const expires =
        days === 'never' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
      const token = await call(
        api.POST('/api/v1/tokens', {
          body: { name: name.trim(), scopes: chosen, agent: agent ?? undefined, expires_at: expires },
        }),
      );
      done();
      modals.open({
        title: `Token ${token.name}`,
        size: 'lg',
        children: (
          <Once
            label="Token"
            secret={token.secret}
            about={
              token.expires_at
                ? `It works until ${moment(token.expires_at)}, or until you revoke it.`
                : 'It works until you revoke it.'
            }
          />
        ),
      });
      await refresh('tokens');
    });
  };
  return (
    <form onSubmit={create}>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Name"
          description="Where it will be used"
          placeholder="Laptop"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ManyOf
          label="Scopes"
          description="A host needs read and write"
          choices={scopes}
          value={chosen}
          onChange={setChosen}
        />
        <AgentPicker
          label="Agent"
          description="Its bearer acts through this agent only"
          placeholder="None: its bearer acts as you"
          value={agent}
          onChange={setAgent}
        />
        <Select
          label="Ends"
          data={spans}
          value={days}
          allowDeselect={false}
          onChange={(value) => value && setDays(value)}
        />
        <FormButtons onCancel={done} loading={busy} disabled={!name.trim() || chosen.length === 0}>
          Create
        </FormButtons>
      </Stack>
    </form>
  );
}
