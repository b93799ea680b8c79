import { Checkbox, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { refresh } from '@/api/queries';
import { FormButtons } from '@/components/FormButtons';
import { told } from '@/components/feedback';
import type { Standing } from '@/components/standing';
import { useBusy } from '@/components/useBusy';
import { atField, refused } from './refused';
import { type Role, RoleChoice } from './roles';

export function AddUserForm({ done }: { done: () => void }) {
  const [handle, setHandle] = useState('');
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<Role[]>(['member']);
  const [problem, setProblem] = useState<string>();
  const { busy, doing } = useBusy(atField(setProblem));
  const add = (event: FormEvent) => {
    event.preventDefault();
    void doing(async () => {
      const user = await call(
        api.POST('/api/v1/users', {
          body: { handle: handle.trim(), display_name: name.trim() || undefined, roles },
        }),
      );
      await refresh('users');
      done();
      told(`${user.display_name || user.handle} was added. Make them a sign-in link next.`);
    });
  };
  return (
    <form onSubmit={add}>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Handle"
          description="What they are called at sign-in; an e-mail address fits"
          required
          maxLength={128}
          value={handle}
          error={problem}
          onChange={(event) => {
            setHandle(event.currentTarget.value);
            setProblem(undefined);
          }}
        />
        <TextInput
          label="Display name"
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <RoleChoice value={roles} onChange={setRoles} />
        <FormButtons onCancel={done} loading={busy} disabled={!handle.trim()}>
          Add
        </FormButtons>
      </Stack>
    </form>
  );
}

type EditUserProps = { user: Schemas['UserView']; standing: Standing; done: () => void };

export function EditUserForm({ user, standing, done }: EditUserProps) {
  const [name, setName] = useState(user.display_name);
  const [roles, setRoles] = useState<Role[]>(user.roles as Role[]);
  const [operator, setOperator] = useState(user.operator);
  const { busy, doing } = useBusy(refused);
  const save = (event: FormEvent) => {
    event.preventDefault();
    void doing(async () => {
      await call(
        api.PATCH('/api/v1/users/{id}', {
          params: { path: { id: user.id } },
          body: {
            // Only what was changed is sent: a name needs more rights than roles.
            display_name: name.trim() === user.display_name ? undefined : name.trim(),
            roles,
            operator: operator === user.operator ? undefined : operator,
          },
        }),
      );
      await refresh('users');
      done();
      told('Saved');
    });
  };
  return (
    <form onSubmit={save}>
      <Stack gap="md">
        <TextInput
          label="Display name"
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <RoleChoice value={roles} onChange={setRoles} />
        {standing.operator && (
          <Checkbox
            label="Operator"
            description="Runs the installation: workspaces, people everywhere, backups"
            checked={operator}
            disabled={user.id === standing.id}
            onChange={(event) => setOperator(event.currentTarget.checked)}
          />
        )}
        <FormButtons onCancel={done} loading={busy} disabled={!name.trim()}>
          Save
        </FormButtons>
      </Stack>
    </form>
  );
}
