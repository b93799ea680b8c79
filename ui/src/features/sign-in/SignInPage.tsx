/** The door: a one-time link or a token opens it. Stands alone, without the frame of the app. */
import {
  Alert,
  Anchor,
  Button,
  Center,
  Code,
  Group,
  Paper,
  PasswordInput,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useCallback, useEffect, useState } from 'react';
import { ApiError, api, call, forgetWorkspace, messageOf } from '@/api/client';
import { meQuery, queryClient } from '@/api/queries';
import { CopyMark } from '@/components/Copyable';
import { localPath, problemWords, readPasted } from './entry';
import classes from './sign-in.module.css';

const command = 'repertoire user link admin';

export default function SignInPage() {
  const router = useRouter();
  const { next, problem } = useSearch({ from: '/sign-in' });
  const me = useQuery({ ...meQuery, staleTime: 0, retry: false });
  const [pasted, setPasted] = useState('');
  const [refused, setRefused] = useState<string>();
  const [busy, setBusy] = useState(false);

  const goOn = useCallback(() => {
    router.history.replace(localPath(next, window.location.origin) ?? '/skills');
  }, [router, next]);

  useEffect(() => {
    document.title = 'Sign in · Repertoire';
  }, []);
  const known = me.isSuccess && me.isFetchedAfterMount;
  useEffect(() => {
    if (known && !busy) goOn();
  }, [known, busy, goOn]);

  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    const body = readPasted(pasted);
    if (!body) {
      setRefused(
        'That is neither a sign-in link nor a token. Links hold ?link=rpl_…, tokens begin with rpt_.',
      );
      return;
    }
    setBusy(true);
    try {
      await call(api.POST('/api/v1/sign-in', { body }));
      forgetWorkspace();
      queryClient.clear();
      await queryClient.fetchQuery(meQuery);
      goOn();
    } catch (error) {
      setRefused(
        error instanceof ApiError && error.status === 401 && 'link' in body
          ? problemWords(error.code)
          : messageOf(error),
      );
    } finally {
      setBusy(false);
    }
  };

  return (
    <Center component="main" className={classes.room}>
      <Stack w="100%" maw={420} gap="lg">
        <Group justify="center" gap="sm">
          <img src="/icon.svg" alt="" width={32} height={32} />
          <Text fw={650} fz={22} component="span">
            Repertoire
          </Text>
        </Group>
        <Paper withBorder p="xl" radius="lg" className={classes.card}>
          <Title order={1} fz={20} mb={4}>
            Sign in
          </Title>
          {me.isPending || known ? (
            <Skeleton height={120} mt="md" />
          ) : (
            <form onSubmit={signIn}>
              <Stack gap="md">
                <Text size="sm" c="dimmed">
                  With the one-time link you were given, or a token of yours.
                </Text>
                {problem && !refused && (
                  <Alert color="yellow" icon={<IconAlertTriangle size={18} />} role="alert">
                    {problemWords(problem)}
                  </Alert>
                )}
                {me.error instanceof ApiError && me.error.status !== 401 && !refused && (
                  <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
                    {messageOf(me.error)}
                  </Alert>
                )}
                <PasswordInput
                  label="Sign-in link or token"
                  placeholder="Paste it here"
                  autoComplete="off"
                  spellCheck={false}
                  autoFocus
                  value={pasted}
                  error={refused}
                  visibilityToggleButtonProps={{ 'aria-label': 'Show what was pasted' }}
                  onChange={(event) => {
                    setPasted(event.currentTarget.value);
                    setRefused(undefined);
                  }}
                />
                <Button type="submit" variant="filled" fullWidth loading={busy} disabled={!pasted.trim()}>
                  Sign in
                </Button>
              </Stack>
            </form>
          )}
        </Paper>
        <Stack gap={6} px="md">
          <Text size="sm" fw={550} component="h2">
            No link at hand?
          </Text>
          <Text size="sm" c="dimmed">
            Where the server runs, this prints one. Admins make links for others in Settings, under People.
          </Text>
          <Group gap={4} wrap="nowrap" className={classes.command}>
            <Code className={classes.code}>{command}</Code>
            <CopyMark text={command} label="Copy the command" />
          </Group>
          <Anchor href="/docs" size="sm" c="dimmed" underline="always">
            API documentation
          </Anchor>
        </Stack>
      </Stack>
    </Center>
  );
}
