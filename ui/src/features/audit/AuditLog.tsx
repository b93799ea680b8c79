import { Badge, Button, Select, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconHistory } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, call } from '@/api/client';
import list from '@/components/list.module.css';
import { type Names, useNames } from '@/components/names';
import { Older } from '@/components/Older';
import { Empty, Loaded } from '@/components/page';
import { UserPicker } from '@/components/pickers';
import { Ago } from '@/components/time';
import type { AuditSearch } from '@/router';
import classes from './audit.module.css';
import { EntryDrawer } from './EntryDrawer';
import { SubjectLink } from './SubjectLink';
import { type Entry, sentence, verbs } from './sentences';

const kinds = ['skill', 'run', 'agent', 'session', 'code_session', 'user', 'token', 'workspace', 'decisions'];

export function AuditLog() {
  const { entry, ...filter } = useSearch({ from: '/shell/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const names = useNames();
  const log = useInfiniteQuery({
    queryKey: ['audit', 'list', filter],
    queryFn: ({ pageParam }) =>
      call(api.GET('/api/v1/audit', { params: { query: { ...filter, limit: 100, cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const entries = log.data?.pages.flatMap((page) => page.items);
  const chosen = entries?.find((other) => other.sequence === entry);

  // A link may point further back than what is shown yet.
  const searching =
    entry !== undefined && !chosen && log.hasNextPage && (entries?.at(-1)?.sequence ?? 0) > entry;

  const narrow = (part: Partial<AuditSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const open = (sequence?: number) =>
    void navigate({ search: (before) => ({ ...before, entry: sequence }), resetScroll: false });
  const filtered = Object.values(filter).some(Boolean);

  return (
    <Stack gap="md">
      <Filters filter={filter} narrow={narrow} />
      <Loaded query={{ ...log, data: entries }}>
        {(items) =>
          items.length === 0 ? (
            <Empty
              icon={IconHistory}
              title="Nothing fits these filters"
              actions={
                filtered && (
                  <Button
                    onClick={() =>
                      narrow({ verb: undefined, kind: undefined, subject: undefined, user: undefined })
                    }
                  >
                    Show everything
                  </Button>
                )
              }
            >
              Every change, run and sign-in is written here, in the transaction that did it.
            </Empty>
          ) : (
            <>
              <ul className={list.framed} aria-label="Entries">
                {items.map((item) => (
                  <Row key={item.sequence} entry={item} names={names} open={() => open(item.sequence)} />
                ))}
              </ul>
              <Older query={log} wanted={searching} />
            </>
          )
        }
      </Loaded>
      <EntryDrawer entry={chosen} names={names} close={() => open(undefined)} narrow={narrow} />
    </Stack>
  );
}

function Row({ entry, names, open }: { entry: Entry; names: Names; open: () => void }) {
  const said = sentence(entry, names);
  return (
    <li className={classes.row}>
      <div className={classes.said}>
        <Text size="sm" component="div">
          <Text span inherit fw={600}>
            {said.who}
          </Text>{' '}
          {said.did} <SubjectLink said={said} />
          {said.through && (
            <Text span inherit c="dimmed">
              {' '}
              through {said.through}
            </Text>
          )}
          {said.more && (
            <Text span inherit c="dimmed">
              , {said.more}
            </Text>
          )}
        </Text>
      </div>
      <Badge color="gray" variant="default" className={classes.verb} ff="monospace">
        {entry.verb}
      </Badge>
      <Ago at={entry.at} size="sm" c="dimmed" className={classes.when} />
      <UnstyledButton
        className={classes.open}
        onClick={open}
        aria-label={`Entry ${entry.sequence} with its hashes`}
      >
        #{entry.sequence}
      </UnstyledButton>
    </li>
  );
}

function Filters({ filter, narrow }: { filter: AuditSearch; narrow: (part: Partial<AuditSearch>) => void }) {
  const [subject, setSubject] = useState(filter.subject ?? '');
  const later = useDebouncedCallback((value: string) => narrow({ subject: value.trim() || undefined }), 300);
  const [seen, setSeen] = useState(filter.subject);
  // A link elsewhere on the page narrows as well.
  if (filter.subject !== seen) {
    setSeen(filter.subject);
    if ((filter.subject ?? '') !== subject.trim()) setSubject(filter.subject ?? '');
  }
  const groups = [...new Set(verbs.map((verb) => verb.split('.')[0]))];
  const known = groups.map((group) => ({
    group: group ?? '',
    items: [
      { value: `${group}.`, label: `All of ${group}` },
      ...verbs.filter((verb) => verb.startsWith(`${group}.`)).map((verb) => ({ value: verb, label: verb })),
    ],
  }));
  const clear = { clearable: true, clearButtonProps: { 'aria-label': 'Clear' } } as const;
  return (
    <div className={classes.filters}>
      <Select
        label="What was done"
        placeholder="Anything"
        searchable
        data={known}
        value={filter.verb ?? null}
        onChange={(verb) => narrow({ verb: verb ?? undefined })}
        {...clear}
      />
      <Select
        label="To what kind"
        placeholder="Any kind"
        data={kinds.map((kind) => ({ value: kind, label: kind.replace('_', ' ') }))}
        value={filter.kind ?? null}
        onChange={(kind) => narrow({ kind: kind ?? undefined })}
        {...clear}
      />
      <UserPicker
        label="By whom"
        value={filter.user ?? null}
        onChange={(user) => narrow({ user: user ?? undefined })}
      />
      <TextInput
        label="Subject"
        placeholder="Its id"
        value={subject}
        onChange={(event) => {
          setSubject(event.currentTarget.value);
          later(event.currentTarget.value);
        }}
      />
    </div>
  );
}
