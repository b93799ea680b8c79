/** What the log shows; all of it stands in the address. */
import { Badge, Button, CloseButton, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { AgentPicker, UserPicker } from '@/components/pickers';
import { spans } from '@/components/spans';
import { useStanding } from '@/components/standing';
import classes from './governance.module.css';
import { policiesQuery } from './queries';
import type { DecisionSearch } from './search';
import { causeLabel, causeWords } from './words';

type Props = { search: DecisionSearch; onChange: (change: DecisionSearch) => void };

export function DecisionFilters({ search, onChange }: Props) {
  const { admin, policyAdmin } = useStanding();
  const policies = useQuery(policiesQuery(search.agent)).data?.items ?? [];
  const [more, { toggle }] = useDisclosure(false);
  const [tool, setTool] = useState(search.tool ?? '');
  useEffect(() => setTool(search.tool ?? ''), [search.tool]);
  const askTool = useDebouncedCallback((name: string) => onChange({ tool: name.trim() || undefined }), 300);
  const { decision: _, ...filters } = search;
  const filtered = Object.values(filters).some(Boolean);
  const known = policies.map((policy) => ({ value: policy.skill_id, label: policy.name }));
  if (search.policy && !known.some(({ value }) => value === search.policy)) {
    known.push({ value: search.policy, label: 'A policy not in force' });
  }
  const clear = (what: string) => ({ clearable: true, clearButtonProps: { 'aria-label': `Clear ${what}` } });
  return (
    <div>
      <div className={classes.filters} data-fewer={!more || undefined}>
        <Select
          label="Verdict"
          placeholder="Any"
          {...clear('verdict')}
          data={[
            { value: 'denied', label: 'Denied' },
            { value: 'allowed', label: 'Allowed' },
          ]}
          value={search.verdict ?? null}
          onChange={(verdict) => onChange({ verdict: verdict ?? undefined })}
        />
        <TextInput
          label="Tool"
          placeholder="Its whole name"
          value={tool}
          onChange={(event) => {
            setTool(event.currentTarget.value);
            askTool(event.currentTarget.value);
          }}
        />
        <Select
          label="Kind"
          placeholder="Any"
          {...clear('kind')}
          data={[
            { value: 'verdict', label: 'Tool calls' },
            { value: 'resolution', label: 'Resolutions' },
          ]}
          value={search.kind ?? null}
          onChange={(kind) => onChange({ kind: kind ?? undefined })}
        />
        <Select
          label="Policy"
          placeholder="Any"
          searchable
          {...clear('policy')}
          nothingFoundMessage="No such policy in force"
          data={known}
          value={search.policy ?? null}
          onChange={(policy) => onChange({ policy: policy ?? undefined })}
        />
        <Select
          label="Why denied"
          placeholder="Anything"
          {...clear('why denied')}
          data={causeWords.map((value) => ({ value, label: causeLabel(value) }))}
          value={search.cause ?? null}
          onChange={(cause) => onChange({ cause: cause ?? undefined })}
        />
        <AgentPicker
          label="Agent"
          value={search.agent ?? null}
          onChange={(agent) => onChange({ agent: agent ?? undefined })}
        />
        {(admin || policyAdmin) && (
          <UserPicker
            label="Person"
            value={search.user ?? null}
            onChange={(user) => onChange({ user: user ?? undefined })}
          />
        )}
        <Select
          label="Time"
          placeholder="Any time"
          {...clear('time')}
          data={Object.entries(spans).map(([value, { label }]) => ({ value, label }))}
          value={search.since ?? null}
          onChange={(since) => onChange({ since: since ?? undefined })}
        />
      </div>
      <div className={classes.fewer}>
        <Button size="compact-sm" variant="subtle" aria-expanded={more} onClick={toggle}>
          {more ? 'Fewer filters' : 'More filters'}
        </Button>
      </div>
      {filtered && (
        <Group mt="sm" gap="xs">
          {search.run && (
            <Badge
              color="blue"
              pr={2}
              rightSection={
                <CloseButton size="xs" aria-label="All runs" onClick={() => onChange({ run: undefined })} />
              }
            >
              One governed run
            </Badge>
          )}
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() =>
              onChange(
                Object.fromEntries(Object.keys(filters).map((word) => [word, undefined])) as DecisionSearch,
              )
            }
          >
            Clear filters
          </Button>
        </Group>
      )}
    </div>
  );
}
