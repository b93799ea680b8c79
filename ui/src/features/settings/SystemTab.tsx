/** The machine behind the app: what protects it from the code of skills, how search works, and the way to a backup. */
import { Alert, Anchor, Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconDownload, IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api, call, fetchRaw, type Schemas } from '@/api/client';
import { sandboxQuery } from '@/api/queries';
import { told } from '@/components/feedback';
import list from '@/components/list.module.css';
import { Loaded } from '@/components/page';
import { Section } from '@/components/Section';
import { saveLink } from '@/components/saveAs';
import { useStanding } from '@/components/standing';
import { bytes, counted, duration } from '@/components/time';
import { useBusy } from '@/components/useBusy';
import classes from './settings.module.css';

export default function SystemTab() {
  const sandbox = useQuery({ ...sandboxQuery, refetchInterval: 10_000 });
  const search = useQuery({
    queryKey: ['skills', 'search-status'],
    queryFn: () => call(api.GET('/api/v1/search/status')),
  });
  const { operator } = useStanding();
  return (
    <Stack gap="xl" maw="52rem">
      <Section title="Sandbox" about="Where the code of skills runs.">
        <Loaded query={sandbox}>{(state) => <Sandbox state={state} />}</Loaded>
      </Section>
      <Section title="Search" about="How skills are found.">
        <Loaded query={search}>{(state) => <SearchState state={state} />}</Loaded>
      </Section>
      <Section
        title="Backup"
        about="One SQLite file with everything, whatever the database; taken while the server works on."
      >
        {operator ? (
          <Backup />
        ) : (
          <Text size="sm" c="dimmed">
            Operators take backups.
          </Text>
        )}
      </Section>
      <Section title="API" about="Everything here can be done by a program as well.">
        <Group gap="lg">
          <Anchor href="/docs" target="_blank" rel="noreferrer" underline="always">
            <Group gap={4} component="span">
              API documentation <IconExternalLink size={15} aria-hidden />
            </Group>
          </Anchor>
          <Anchor href="/api/v1/openapi.json" target="_blank" rel="noreferrer" underline="always">
            <Group gap={4} component="span">
              OpenAPI document <IconExternalLink size={15} aria-hidden />
            </Group>
          </Anchor>
          <Version />
        </Group>
      </Section>
    </Stack>
  );
}

function Sandbox({ state }: { state: Schemas['SandboxView'] }) {
  const { limits } = state;
  const facts: [string, string][] = [
    ['Running now', counted(state.running, 'execution')],
    ['Waiting', counted(state.waiting, 'execution')],
    ['Python profiles', state.profiles.join(', ') || 'none'],
    ['Hosts it may reach', state.allowed_hosts.join(', ') || 'none'],
    ['Time of one run', limits.wall_ms ? duration(limits.wall_ms) : 'no bound'],
    ['Memory of one run', limits.memory_bytes ? bytes(limits.memory_bytes) : 'no bound'],
  ];
  return (
    <Stack gap="sm">
      {state.available ? (
        <Group gap="xs">
          <Badge color="green">Ready</Badge>
          <Text size="sm" c="dimmed">
            Skills with a procedure can run.
          </Text>
        </Group>
      ) : (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title="Code cannot run here">
          {state.reason}
        </Alert>
      )}
      <Facts facts={facts} />
      <ul className={list.framed} aria-label="Protections">
        {state.protections.map((protection) => (
          <li key={protection.name} className={classes.row}>
            {protection.active ? (
              <IconCircleCheck size={20} color="var(--mantine-color-teal-7)" role="img" aria-label="active" />
            ) : (
              <IconAlertTriangle
                size={20}
                color="var(--mantine-color-orange-7)"
                role="img"
                aria-label="missing"
              />
            )}
            <div className={classes.main}>
              <Text fw={550} size="sm">
                {protection.name.replaceAll('_', ' ')}
              </Text>
              <Text size="sm" c="dimmed">
                {protection.detail}
              </Text>
            </div>
            {protection.required && <Badge color="gray">Required</Badge>}
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function SearchState({ state }: { state: Schemas['SearchStatusView'] }) {
  const facts: [string, string][] = [
    ['Embedder', state.embedder],
    ['Skills you can find', state.skills.toLocaleString('en')],
  ];
  if (state.waiting !== null && state.waiting !== undefined)
    facts.push(['Waiting for the embedder', String(state.waiting)]);
  if (state.refused) facts.push(['Refused by the embedder', String(state.refused)]);
  if (state.bytes !== null && state.bytes !== undefined)
    facts.push(['Memory of the index', bytes(state.bytes)]);
  return (
    <Stack gap="sm">
      {state.failure && (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title="The embedder last said">
          {state.failure}
        </Alert>
      )}
      <Facts facts={facts} />
    </Stack>
  );
}

function Facts({ facts }: { facts: [string, string][] }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 2, xs: 3 }} spacing="md" m={0}>
      {facts.map(([term, value]) => (
        <div key={term}>
          <Text size="sm" c="dimmed" component="dt">
            {term}
          </Text>
          <Text fw={550} component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

function Backup() {
  const { busy, doing } = useBusy();
  const take = () =>
    doing(async () => {
      await saveLink('/api/v1/backup', 'repertoire-backup.db');
      told('Your browser downloads the backup. It holds everything: keep it safe.');
    });
  return (
    <div>
      <Button leftSection={<IconDownload size={18} />} loading={busy} onClick={() => void take()}>
        Download a backup
      </Button>
    </div>
  );
}

/** The server names its version in its API document. */
function Version() {
  const version = useQuery({
    queryKey: ['version'],
    queryFn: async () => {
      const document = (await (await fetchRaw('/api/v1/openapi.json')).json()) as {
        info?: { version?: string };
      };
      return document.info?.version ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  return version ? <Text c="dimmed">Version {version}</Text> : null;
}
