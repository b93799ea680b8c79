/** What the list is narrowed to: chosen in one place, shown as chips that one click clears. */
import { Button, CloseButton, Group, Popover, Select, SimpleGrid, Switch } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { tagsQuery } from '@/api/queries';
import {
  facets,
  originLabel,
  originWords,
  scopeLabel,
  scopeWords,
  statusLabel,
  statusWords,
} from '@/components/badges';
import { AgentPicker, UserPicker } from '@/components/pickers';
import { type FilterWord, filtersOn, type LibrarySearch, withoutFilters } from '../search';
import { useLibrary } from './context';
import classes from './library.module.css';

type FilterProps = { search: LibrarySearch; change: (next: LibrarySearch) => void };

export function FilterButton({ search, change }: FilterProps) {
  const tags = useQuery(tagsQuery).data?.items ?? [];
  const narrow = useMediaQuery('(max-width: 48em)');
  const on = filtersOn(search).length;
  const set = (part: Partial<LibrarySearch>) => change({ ...search, ...part });
  // The first one gets the focus when this opens; its list would cover the others.
  const inside = { comboboxProps: { withinPortal: false }, openOnFocus: false, size: 'sm' as const };
  const choice = (word: 'origin' | 'status' | 'scope' | 'facet', label: string, data: [string, string][]) => (
    <Select
      {...inside}
      clearable
      label={label}
      placeholder="Any"
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}` }}
      data={data.map(([value, text]) => ({ value, label: text }))}
      value={search[word] ?? null}
      onChange={(value) => set({ [word]: value ?? undefined })}
    />
  );
  return (
    <Popover
      position={narrow ? 'bottom' : 'bottom-end'}
      width={narrow ? 'calc(100vw - 2rem)' : 480}
      shadow="md"
      middlewares={{ shift: { padding: 16 } }}
      trapFocus
      returnFocus
      keepMounted={false}
    >
      <Popover.Target>
        <Button leftSection={<IconFilter size={16} />} aria-label={on ? `Filter, ${on} on` : 'Filter'}>
          Filter{on > 0 && ` · ${on}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filter">
        <SimpleGrid cols={2} spacing="sm">
          <Select
            {...inside}
            clearable
            searchable
            label="Tag"
            placeholder="Any"
            limit={100}
            nothingFoundMessage="No such tag"
            clearButtonProps={{ 'aria-label': 'Any tag' }}
            data={tags.map(({ tag, count }) => ({ value: tag, label: `${tag} (${count})` }))}
            value={search.tag ?? null}
            onChange={(tag) => set({ tag: tag ?? undefined })}
          />
          {choice(
            'origin',
            'Source',
            originWords.map((word) => [word, originLabel(word)]),
          )}
          {choice(
            'status',
            'Status',
            statusWords.map((word) => [word, statusLabel(word)]),
          )}
          {choice(
            'scope',
            'Scope',
            scopeWords.map((word) => [word, scopeLabel(word)]),
          )}
          {choice(
            'facet',
            'Facet',
            Object.entries(facets).map(([word, { label }]) => [word, label]),
          )}
          <Select
            {...inside}
            clearable
            label="Switch"
            placeholder="Any"
            clearButtonProps={{ 'aria-label': 'Any switch' }}
            data={[
              { value: 'on', label: 'On' },
              { value: 'off', label: 'Off' },
            ]}
            value={search.enabled === undefined ? null : search.enabled ? 'on' : 'off'}
            onChange={(value) => set({ enabled: value === null ? undefined : value === 'on' })}
          />
          <AgentPicker
            {...inside}
            label="Agent"
            value={search.agent ?? null}
            onChange={(agent) => set({ agent: agent ?? undefined })}
          />
          <UserPicker
            {...inside}
            label="User"
            value={search.user ?? null}
            onChange={(user) => set({ user: user ?? undefined })}
          />
        </SimpleGrid>
        <Group justify="space-between" mt="md">
          <Switch
            label="Deleted skills"
            checked={search.deleted ?? false}
            onChange={(event) => set({ deleted: event.currentTarget.checked || undefined })}
          />
          <Button size="compact-sm" disabled={on === 0} onClick={() => change(withoutFilters(search))}>
            Clear all
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}

/** A chip for each filter that is on. */
export function FilterChips({ search, change }: FilterProps) {
  const { names } = useLibrary();
  const on = filtersOn(search);
  if (on.length === 0) return null;
  const say: Record<FilterWord, () => string> = {
    tag: () => `Tag: ${search.tag}`,
    origin: () => `Source: ${originLabel(search.origin ?? '')}`,
    status: () => statusLabel(search.status ?? ''),
    scope: () => `Scope: ${scopeLabel(search.scope ?? '')}`,
    facet: () => facets[search.facet ?? '']?.label ?? search.facet ?? '',
    agent: () => `Agent: ${names.agent(search.agent)}`,
    user: () => `User: ${names.user(search.user)}`,
    enabled: () => (search.enabled ? 'On' : 'Off'),
    deleted: () => 'Deleted',
  };
  return (
    <Group gap={6} mb="xs" component="section" aria-label="Filters that are on">
      {on.map((word) => (
        <span key={word} className={classes.chip}>
          {say[word]()}
          <CloseButton
            size="xs"
            aria-label={`Clear ${say[word]()}`}
            onClick={() => change({ ...search, [word]: undefined })}
          />
        </span>
      ))}
      {on.length > 1 && (
        <Button size="compact-xs" variant="subtle" onClick={() => change(withoutFilters(search))}>
          Clear all
        </Button>
      )}
    </Group>
  );
}
