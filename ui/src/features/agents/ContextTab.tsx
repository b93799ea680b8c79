/** What the agent's prompt gets, as the server makes it, for any request and budget. */
import {
  Alert,
  Badge,
  Group,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconInfoCircle, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { AmountInput } from '@/components/AmountInput';
import { CopyMark } from '@/components/Copyable';
import { Loaded } from '@/components/page';
import { counted } from '@/components/time';
import classes from './agents.module.css';
import type { Agent } from './draft';
import { discoveryModes } from './words';

type Format = 'markdown' | 'xml' | 'json';

export function ContextTab({ agent, unsaved }: { agent: Agent; unsaved: boolean }) {
  const [query, setQuery] = useState('');
  const [budget, setBudget] = useState<number | null>(null);
  const [format, setFormat] = useState<Format>('markdown');
  const [mode, setMode] = useState<Schemas['DiscoveryWord'] | null>(null);
  const [asked] = useDebouncedValue({ query: query.trim(), budget }, 200);
  const context = useQuery({
    // The skills it tells of change it as well; the version stands for the agent.
    queryKey: ['skills', 'context', agent.id, agent.version, asked, format, mode],
    queryFn: () =>
      call(
        api.GET('/api/v1/agents/{id}/context', {
          params: {
            path: { id: agent.id },
            query: {
              query: asked.query || undefined,
              budget: asked.budget || undefined,
              format,
              mode: mode ?? undefined,
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="md">
      {unsaved && (
        <Alert icon={<IconInfoCircle size={18} />} color="yellow" py="xs">
          Shown as the agent is saved; your unsaved changes are not in it yet.
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
        <TextInput
          label="Request"
          placeholder="What it is about to do"
          leftSection={<IconSearch size={16} />}
          maxLength={4000}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <AmountInput
          label="Token budget"
          placeholder={`${agent.discovery_token_budget.toLocaleString('en')}, the agent's`}
          thousandSeparator=","
          step={100}
          value={budget}
          error={budget !== null && (budget < 1 || budget > 1_000_000) ? 'From 1 to 1,000,000' : null}
          onChange={setBudget}
        />
        <Select
          label="Discovery mode"
          placeholder={`${discoveryModes.find(({ value }) => value === agent.discovery)?.label}, the agent's`}
          data={discoveryModes.map(({ value, label }) => ({ value, label }))}
          value={mode}
          onChange={(value) => setMode(value as Schemas['DiscoveryWord'] | null)}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear' }}
        />
        <Select
          label="Format"
          data={[
            { value: 'markdown', label: 'Markdown' },
            { value: 'xml', label: 'XML' },
            { value: 'json', label: 'JSON' },
          ]}
          value={format}
          allowDeselect={false}
          onChange={(value) => value && setFormat(value as Format)}
        />
      </SimpleGrid>
      <Loaded query={context} skeleton={<Skeleton height={260} radius="md" />}>
        {(told) => <Told told={told} />}
      </Loaded>
    </Stack>
  );
}

function Told({ told }: { told: Schemas['AgentContextView'] }) {
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="baseline">
        <Title order={2} aria-live="polite">
          This is what the model sees: {counted(told.tokens, 'token')}
        </Title>
        <Text size="sm" c="dimmed">
          of {told.budget.toLocaleString('en')} allowed
        </Text>
      </Group>
      <Group gap="xs">
        <Badge color="gray">{counted(told.items.length, 'skill')} told of</Badge>
        {told.mode !== told.used && <Badge color="gray">auto became {told.used}</Badge>}
        {told.needs_search && <Badge color="blue">gets a search tool</Badge>}
        {told.more && <Badge color="yellow">there are more skills</Badge>}
        {told.left_out.map((part) => (
          <Badge key={part} color="red">
            no room for {part === 'procedural_memory' ? 'procedural memory' : part}
          </Badge>
        ))}
      </Group>
      {told.text ? (
        <div className={classes.textFrame}>
          <div className={classes.copyPlace}>
            <CopyMark text={told.text} label="Copy what the model sees" />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long texts scroll by keyboard */}
          <section className={classes.text} tabIndex={0} aria-label="What the model sees">
            <pre className={classes.words}>{told.text}</pre>
          </section>
        </div>
      ) : (
        <Alert icon={<IconInfoCircle size={18} />} color="gray">
          Nothing. This agent is told of no skills: its memory is off, there are none it can see, or the
          budget is too small.
        </Alert>
      )}
    </Stack>
  );
}
