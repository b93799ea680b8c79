/** Says when the server is out of reach, reads everything again when it is back, and leads to the sign-in when it forgot us. */
import { Group, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { fetchRaw, onReach } from '@/api/client';
import { queryClient } from '@/api/queries';
import classes from './Shell.module.css';

const PAUSE_MS = 2_000;

export function OfflineBanner() {
  const [away, setAway] = useState(false);
  useEffect(() => onReach((reach) => setAway(reach === 'unreachable')), []);
  useEffect(() => {
    if (!away) return;
    const timer = setInterval(() => {
      fetchRaw('/healthz').then(
        () => queryClient.invalidateQueries(),
        () => undefined,
      );
    }, PAUSE_MS);
    return () => clearInterval(timer);
  }, [away]);
  if (!away) return null;
  return (
    <Group role="alert" gap="xs" wrap="nowrap" justify="center" className={classes.banner}>
      <IconPlugConnectedX size={18} className={classes.sign} aria-hidden />
      <Text size="sm">
        The server cannot be reached. What you see may be old; it goes on when it is back.
      </Text>
    </Group>
  );
}

/** A session that ended leads to the sign-in, and from there back to this page. */
export function useExpiry(): void {
  const navigate = useNavigate();
  const router = useRouter();
  useEffect(() => {
    // Whoever stays, to save elsewhere what they wrote, is not asked again until somebody is signed in.
    let asked = false;
    return onReach((reach) => {
      if (reach === 'reached') asked = false;
      if (reach !== 'signed-out' || asked) return;
      asked = true;
      const { href } = router.state.location;
      void navigate({ to: '/sign-in', search: { next: href === '/' ? undefined : href } }).then(() => {
        // The next one who signs in starts with nothing of the one before.
        if (router.state.location.pathname === '/sign-in') queryClient.clear();
      });
    });
  }, [navigate, router]);
}
