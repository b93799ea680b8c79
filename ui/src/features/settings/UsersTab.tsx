/** The people of the workspace: who they are, what they may do, and the link that lets them in. */
import { ActionIcon, Alert, Avatar, Badge, Button, Group, Menu, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import {
  IconDots,
  IconLink,
  IconLock,
  IconPencil,
  IconUserOff,
  IconUserPlus,
  IconUserX,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api, call, type Schemas } from '@/api/client';
import { refresh, usersQuery } from '@/api/queries';
import { ask, failed, told } from '@/components/feedback';
import list from '@/components/list.module.css';
import { Loaded } from '@/components/page';
import { Section } from '@/components/Section';
import { type Standing, useStanding } from '@/components/standing';
import { moment } from '@/components/time';
import { Once } from './Once';
import { refused } from './refused';
import { RoleBadges } from './roles';
import classes from './settings.module.css';
import { AddUserForm, EditUserForm } from './UserForms';

type User = Schemas['UserView'];

export default function UsersTab() {
  const users = useQuery(usersQuery);
  const standing = useStanding();
  const add = () =>
    modals.open({
      modalId: 'add-user',
      title: 'Add a person',
      children: <AddUserForm done={() => modals.close('add-user')} />,
    });
  return (
    <Section
      title="People"
      about="Everyone in this workspace."
      actions={
        standing.admin && (
          <Button variant="filled" leftSection={<IconUserPlus size={18} />} onClick={add}>
            Add a person
          </Button>
        )
      }
    >
      {!standing.admin && (
        <Alert icon={<IconLock size={18} />} color="gray" py="xs">
          Admins add people and change roles; you can look.
        </Alert>
      )}
      <Loaded query={users}>
        {({ items }) => (
          <ul className={list.framed} aria-label="People">
            {items.map((user) => (
              <Row key={user.id} user={user} standing={standing} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function Row({ user, standing }: { user: User; standing: Standing }) {
  const own = user.id === standing.id;
  return (
    <li className={classes.row}>
      <Avatar size={36} radius="xl" name={user.display_name || user.handle} color="ink" aria-hidden />
      <div className={classes.main}>
        <Group gap="xs">
          <Text fw={600}>{user.display_name || user.handle}</Text>
          {own && <Badge color="gray">You</Badge>}
          {user.disabled && <Badge color="red">Disabled</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {user.handle}
        </Text>
      </div>
      <div className={classes.marks}>
        <RoleBadges roles={user.roles} operator={user.operator} />
      </div>
      {standing.admin && <Actions user={user} standing={standing} />}
    </li>
  );
}

function Actions({ user, standing }: { user: User; standing: Standing }) {
  const name = user.display_name || user.handle;
  const own = user.id === standing.id;
  const edit = () =>
    modals.open({
      modalId: 'edit-user',
      title: name,
      children: <EditUserForm user={user} standing={standing} done={() => modals.close('edit-user')} />,
    });
  const setDisabled = (disabled: boolean) =>
    call(api.PATCH('/api/v1/users/{id}', { params: { path: { id: user.id } }, body: { disabled } })).then(
      () => refresh('users'),
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={`More about ${name}`} size="lg">
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={edit}>
          Name and roles
        </Menu.Item>
        <Menu.Item leftSection={<IconLink size={16} />} onClick={() => showLink(user).catch(failed)}>
          Make a sign-in link
        </Menu.Item>
        {standing.operator && !own && (
          <Menu.Item
            leftSection={<IconUserOff size={16} />}
            onClick={() =>
              setDisabled(!user.disabled).then(
                () =>
                  told(user.disabled ? `${name} can sign in again` : `${name} is shut out everywhere`, () =>
                    setDisabled(user.disabled),
                  ),
                refused,
              )
            }
          >
            {user.disabled ? 'Let in again' : 'Disable'}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconUserX size={16} />} onClick={() => void remove(user)}>
          Remove from the workspace
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

async function showLink(user: User): Promise<void> {
  const link = await call(api.POST('/api/v1/users/{id}/sign-in-link', { params: { path: { id: user.id } } }));
  modals.open({
    title: `Sign-in link for ${user.display_name || user.handle}`,
    size: 'lg',
    children: (
      <Once
        label="Sign-in link"
        secret={link.url}
        about={`Whoever opens it is ${user.display_name || user.handle}. It works once, until ${moment(link.expires_at)}.`}
      />
    ),
  });
}

async function remove(user: User): Promise<void> {
  const name = user.display_name || user.handle;
  const sure = await ask({
    title: `Remove ${name}?`,
    message: 'They lose this workspace and their tokens here end at once. What they wrote stays.',
    confirm: 'Remove',
  });
  if (!sure) return;
  try {
    await call(api.DELETE('/api/v1/users/{id}', { params: { path: { id: user.id } } }));
    told(`${name} was removed`);
    await refresh('users', 'tokens');
  } catch (error) {
    refused(error);
  }
}
