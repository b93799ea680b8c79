/** The command palette: every place, every skill by plain words, and what can be done anywhere. */

import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight';
import {
  IconBulb,
  IconLogout,
  IconMessagePlus,
  IconPlus,
  IconRobot,
  IconSearch,
  IconSunMoon,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, call } from '@/api/client';
import { failed } from '@/components/feedback';
import { percent } from '@/components/time';
import { usePlaces } from './navigation';
import { signOut } from './UserMenu';

export function Palette() {
  const navigate = useNavigate();
  const places = usePlaces();
  const { setColorScheme, colorScheme } = useMantineColorScheme();
  const [words, setWords] = useState('');
  const [asked] = useDebouncedValue(words.trim(), 120);
  const found = useQuery({
    queryKey: ['skills', 'palette', asked],
    queryFn: () =>
      call(
        api.POST('/api/v1/skills/search', {
          body: { query: asked, min_similarity: 0.2, limit: 6, explain: false },
        }),
      ),
    enabled: asked.length > 1,
    placeholderData: keepPreviousData,
  });

  const skills: SpotlightActionData[] = (asked.length > 1 ? (found.data?.items ?? []) : []).map(
    ({ skill, similarity }) => ({
      id: `skill-${skill.id}`,
      label: skill.title || skill.name,
      description: `${percent(similarity)} · ${skill.description}`,
      // What search found fits, whatever letters it has.
      keywords: [words],
      leftSection: <IconBulb size={20} stroke={1.6} />,
      onClick: () => void navigate({ to: '/skills/$skillId', params: { skillId: skill.id } }),
    }),
  );

  const commands: SpotlightActionData[] = [
    {
      id: 'new-skill',
      label: 'New skill',
      description: 'Write one, or drop in a bundle',
      leftSection: <IconPlus size={20} stroke={1.6} />,
      onClick: () => void navigate({ to: '/skills/new' }),
    },
    {
      id: 'new-agent',
      label: 'New agent',
      description: 'Settings, memory and skills',
      leftSection: <IconRobot size={20} stroke={1.6} />,
      onClick: () => void navigate({ to: '/agents/new' }),
    },
    {
      id: 'conversation',
      label: 'Try something in a conversation',
      description: 'Run code, search, use and save skills',
      leftSection: <IconMessagePlus size={20} stroke={1.6} />,
      onClick: () => void navigate({ to: '/conversations' }),
    },
    {
      id: 'colours',
      label: 'Switch between light and dark',
      leftSection: <IconSunMoon size={20} stroke={1.6} />,
      onClick: () => setColorScheme(isDark(colorScheme) ? 'light' : 'dark'),
    },
    {
      id: 'sign-out',
      label: 'Sign out',
      leftSection: <IconLogout size={20} stroke={1.6} />,
      onClick: () => void signOut().catch(failed),
    },
  ];

  const groups: SpotlightActionGroupData[] = [
    ...(skills.length ? [{ group: 'Skills', actions: skills }] : []),
    {
      group: 'Go to',
      actions: places.map(({ to, label, about, icon: Mark }) => ({
        id: to,
        label,
        description: about,
        leftSection: <Mark size={20} stroke={1.6} />,
        onClick: () => void navigate({ to }),
      })),
    },
    { group: 'Do', actions: commands },
  ];

  return (
    <Spotlight
      actions={groups}
      query={words}
      onQueryChange={setWords}
      shortcut={['mod + K']}
      // Also while one writes: that is when one looks for something else.
      tagsToIgnore={[]}
      triggerOnContentEditable
      // It stays where it is while what it lists grows and shrinks.
      centered={false}
      overlayProps={{ blur: 0, backgroundOpacity: 0.4 }}
      // At once: what is typed while it comes up would be lost.
      transitionProps={{ duration: 0 }}
      attributes={{ content: { 'aria-label': 'Search and commands' } }}
      highlightQuery
      scrollable
      maxHeight={440}
      nothingFound="Nothing fits. Try other words."
      searchProps={{
        leftSection: <IconSearch size={20} stroke={1.6} />,
        placeholder: 'Skills, places, commands',
        'aria-label': 'Find a skill, a place or a command',
      }}
    />
  );
}

function isDark(scheme: string): boolean {
  return scheme === 'dark' || (scheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
}
