/** Who is signed in, where, and the way out. */
import { Avatar, Box, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconCheck,
  IconChevronDown,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSun,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, call, forgetWorkspace, rememberWorkspace } from '@/api/client';
import { meQuery, workspacesQuery } from '@/api/queries';
import { failed } from '@/components/feedback';
import { forgetTyped } from './typed';
import classes from './UserMenu.module.css';

export async function signOut(): Promise<void> {
  await call(api.POST('/api/v1/sign-out'));
  forgetWorkspace();
  forgetTyped();
  window.location.assign('/sign-in');
}

/** Turns to another workspace: everything is read anew. Whoever stays, for what is not saved, stays in this one. */
export function turnTo(workspace: string): void {
  rememberWorkspace(workspace);
  window.location.assign('/skills');
}

export function UserMenu() {
  const me = useQuery(meQuery).data;
  const workspaces = useQuery(workspacesQuery).data?.items ?? [];
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  if (!me) return <Box flex={1} />;
  const name = me.user.display_name || me.user.handle;
  const schemes = [
    { word: 'light', label: 'Light', icon: IconSun },
    { word: 'dark', label: 'Dark', icon: IconMoon },
    { word: 'auto', label: 'As the system', icon: IconDeviceDesktop },
  ] as const;
  return (
    <Menu position="top-start" width={240} withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <Avatar size={30} radius="xl" name={name} color="ink" aria-hidden />
          <Box flex={1} miw={0}>
            <Text size="sm" fw={550} truncate>
              {name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {me.workspace.title || me.workspace.name}
            </Text>
          </Box>
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/settings" leftSection={<IconUser size={16} />}>
          Your profile
        </Menu.Item>
        {workspaces.length > 1 && (
          <>
            <Menu.Divider />
            <Menu.Label>Workspace</Menu.Label>
            {workspaces.map((workspace) => (
              <Menu.Item
                key={workspace.id}
                onClick={() => turnTo(workspace.name)}
                rightSection={
                  workspace.id === me.workspace.id ? <IconCheck size={16} aria-label="here" /> : null
                }
              >
                {workspace.title || workspace.name}
              </Menu.Item>
            ))}
          </>
        )}
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {schemes.map(({ word, label, icon: Mark }) => (
          <Menu.Item
            key={word}
            leftSection={<Mark size={16} />}
            rightSection={colorScheme === word ? <IconCheck size={16} aria-label="chosen" /> : null}
            onClick={() => setColorScheme(word)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut().catch(failed)}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
