/** Search as one types, filters, order and grouping. */
import { Button, CloseButton, Group, Select, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch, IconStack2 } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { isRanked, type LibrarySearch } from '../search';
import { FilterButton } from './Filters';
import classes from './library.module.css';

/** How long a pause means that the words are there. */
const PAUSE_MS = 160;

type ToolbarProps = { search: LibrarySearch; change: (next: LibrarySearch) => void };

export function Toolbar({ search, change }: ToolbarProps) {
  const ranked = isRanked(search);
  return (
    <Group gap="xs" mb="sm" className={classes.toolbar}>
      <SearchBox search={search} change={change} />
      <FilterButton search={search} change={change} />
      <Tooltip
        label={
          ranked ? 'What search found stands in order of how well it fits' : 'By workspace, agent and person'
        }
      >
        <Button
          aria-pressed={search.group === 'owner'}
          variant={search.group ? 'light' : 'default'}
          leftSection={<IconStack2 size={16} />}
          disabled={ranked}
          onClick={() => change({ ...search, group: search.group ? undefined : 'owner' })}
        >
          Group
        </Button>
      </Tooltip>
      <Select
        aria-label="Order"
        className={classes.order}
        allowDeselect={false}
        disabled={ranked}
        data={
          ranked
            ? [{ value: 'fit', label: 'Best first' }]
            : [
                { value: 'name', label: 'By name' },
                { value: 'updated', label: 'Last changed' },
                { value: 'created', label: 'Newest' },
              ]
        }
        value={ranked ? 'fit' : (search.sort ?? 'name')}
        onChange={(value) =>
          change({ ...search, sort: value === 'name' ? undefined : (value as LibrarySearch['sort']) })
        }
      />
    </Group>
  );
}

function SearchBox({ search, change }: ToolbarProps) {
  const [words, setWords] = useState(search.q ?? '');
  const latest = useRef(search);
  latest.current = search;
  const asked = useRef(search.q ?? '');
  const ask = useDebouncedCallback((next: string) => {
    asked.current = next.trim();
    change({ ...latest.current, q: asked.current || undefined, weak: undefined });
  }, PAUSE_MS);
  // The address may change by other ways than typing: back, a link, the palette.
  useEffect(() => {
    if ((search.q ?? '') === asked.current) return;
    asked.current = search.q ?? '';
    setWords(asked.current);
  }, [search.q]);
  const write = (next: string) => {
    setWords(next);
    ask(next);
  };
  return (
    <TextInput
      data-page-search
      type="search"
      aria-label="Search skills by what they do"
      placeholder="What should it do?"
      maxLength={4000}
      leftSection={<IconSearch size={16} />}
      rightSection={
        words ? <CloseButton size="sm" aria-label="Clear the search" onClick={() => write('')} /> : null
      }
      value={words}
      onChange={(event) => write(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && words) write('');
      }}
    />
  );
}
