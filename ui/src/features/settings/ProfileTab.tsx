import {
  Avatar,
  Button,
  Group,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  useMantineColorScheme,
} from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { meQuery, refresh } from '@/api/queries';
import { failed, told } from '@/components/feedback';
import { Loaded } from '@/components/page';
import { Section } from '@/components/Section';
import { Ago } from '@/components/time';
import { useUnsavedGuard } from '@/components/unsaved';
import { useBusy } from '@/components/useBusy';
import { signOut } from '@/shell/UserMenu';
import { RoleBadges } from './roles';

export default function ProfileTab() {
  const me = useQuery(meQuery);
  return <Loaded query={me}>{(known) => <Profile me={known} />}</Loaded>;
}

function Profile({ me }: { me: Schemas['MeView'] }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { user } = me;
  return (
    <Stack gap="xl" maw="44rem">
      <Group gap="md" wrap="nowrap">
        <Avatar size={56} radius="xl" name={user.display_name || user.handle} color="ink" aria-hidden />
        <div>
          <Text fw={600} fz="lg">
            {user.display_name || user.handle}
          </Text>
          <Text size="sm" c="dimmed">
            {user.handle}, here since <Ago at={user.created_at} span inherit />
          </Text>
          <Group gap="xs" mt={6}>
            <RoleBadges roles={user.roles} operator={user.operator} />
          </Group>
        </div>
      </Group>
      <NameForm key={user.display_name} user={user} />
      <Section title="Colours" about="Kept in this browser.">
        <SegmentedControl
          aria-label="Colours"
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
            { value: 'auto', label: 'As the system' },
          ]}
        />
      </Section>
      <Section title="This browser" about="A browser stays signed in for 14 days.">
        <div>
          <Button leftSection={<IconLogout size={18} />} onClick={() => signOut().catch(failed)}>
            Sign out
          </Button>
        </div>
      </Section>
    </Stack>
  );
}

function NameForm({ user }: { user: Schemas['UserView'] }) {
  const [name, setName] = useState(user.display_name);
  const { busy: saving, doing } = useBusy();
  const changed = name.trim() !== user.display_name;
  useUnsavedGuard(changed);
  return (
    <Section title="Your name" about="What others see beside what you do.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void doing(async () => {
            await call(
              api.PATCH('/api/v1/users/{id}', {
                params: { path: { id: user.id } },
                body: { display_name: name.trim() },
              }),
            );
            await refresh('users');
            told('Name saved');
          });
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Display name"
            value={name}
            maxLength={200}
            flex={1}
            miw={220}
            maw={360}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" variant="filled" loading={saving} disabled={!changed || !name.trim()}>
            Save
          </Button>
        </Group>
      </form>
    </Section>
  );
}
