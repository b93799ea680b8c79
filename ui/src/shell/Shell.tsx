/** The frame around every page: navigation, palette, keyboard shortcuts, and the ear for changes elsewhere. */
import {
  ActionIcon,
  AppShell,
  Badge,
  Box,
  Burger,
  Group,
  Indicator,
  Kbd,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { followChanges, onLive } from '@/api/events';
import { useWaitingCount } from '@/features/reviews/queue';
import { usePlaces } from './navigation';
import { Palette } from './Palette';
import { OfflineBanner, useExpiry } from './Reach';
import classes from './Shell.module.css';
import { Shortcuts } from './Shortcuts';
import { UserMenu } from './UserMenu';
import { useArrival } from './useArrival';

export function Shell() {
  const [open, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const waiting = useWaitingCount();
  const places = usePlaces();
  const live = useLive();
  useExpiry();
  useArrival();

  useEffect(() => {
    const ending = new AbortController();
    followChanges(ending.signal);
    return () => ending.abort();
  }, []);
  // Another page closes the drawer.
  useEffect(() => close(), [path, close]);

  return (
    <AppShell
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !open } }}
      header={{ height: { base: 52, sm: 0 } }}
    >
      <a href="#main" className={classes.skip}>
        Skip to content
      </a>
      <AppShell.Header hiddenFrom="sm" px="md" className={classes.header}>
        <Group h="100%" justify="space-between">
          <Group gap="sm">
            <Burger
              opened={open}
              onClick={toggle}
              size="sm"
              aria-label={open ? 'Close menu' : 'Open menu'}
              aria-expanded={open}
              aria-controls="navigation"
            />
            <Logo />
          </Group>
          <ActionIcon aria-label="Search and commands" onClick={spotlight.open} size="lg">
            <IconSearch size={20} />
          </ActionIcon>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        className={classes.side}
        data-closed={!open || undefined}
        aria-label="Main"
        id="navigation"
        onKeyDown={(event) => event.key === 'Escape' && close()}
      >
        <Box p="md" pb="xs" visibleFrom="sm">
          <Logo />
        </Box>
        <Box px="sm" py="xs">
          <UnstyledButton className={classes.search} onClick={spotlight.open}>
            <IconSearch size={16} stroke={1.8} />
            <Text size="sm" flex={1}>
              Search
            </Text>
            <Kbd size="xs" aria-hidden visibleFrom="sm">
              {/Mac|iP(ad|hone)/.test(navigator.userAgent) ? '⌘' : 'Ctrl'} K
            </Kbd>
          </UnstyledButton>
        </Box>
        <ScrollArea flex={1} px="sm" type="scroll">
          {places.map(({ to, label, icon: Mark }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={label}
              active={path === to || path.startsWith(`${to}/`)}
              aria-current={path === to ? 'page' : undefined}
              leftSection={<Mark size={18} stroke={1.7} />}
              rightSection={
                to === '/review' && waiting > 0 ? (
                  <Badge size="sm" variant="filled" aria-label={`${waiting} waiting`}>
                    {waiting}
                  </Badge>
                ) : null
              }
              className={classes.place}
            />
          ))}
        </ScrollArea>
        <Group p="sm" gap="xs" wrap="nowrap" className={classes.foot}>
          <UserMenu />
          <Tooltip label={live ? 'Changes elsewhere show up here at once' : 'Not connected: trying again'}>
            <Indicator
              inline
              position="middle-center"
              size={8}
              color={live ? 'teal' : 'gray'}
              processing={false}
              role="status"
              aria-label={live ? 'live' : 'not connected'}
            >
              <Box w={14} h={14} />
            </Indicator>
          </Tooltip>
        </Group>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <OfflineBanner />
        <Outlet />
      </AppShell.Main>
      <Palette />
      <Shortcuts />
    </AppShell>
  );
}

function Logo() {
  return (
    <Link to="/skills" className={classes.logo}>
      <img src="/icon.svg" alt="" width={24} height={24} />
      <Text fw={650} fz="md" component="span">
        Repertoire
      </Text>
    </Link>
  );
}

function useLive(): boolean {
  const [live, setLive] = useState(false);
  useEffect(() => onLive(setLive), []);
  return live;
}
