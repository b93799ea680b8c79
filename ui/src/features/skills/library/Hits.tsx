/** What search found: how well each fits, why, and the numbers behind it. */
import { ActionIcon, Alert, Box, Button, Collapse, Group, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconInfoCircle, IconSearchOff } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useRef } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { Empty, Failure, ListSkeleton } from '@/components/page';
import { counted, percent } from '@/components/time';
import { filtersOn, type LibrarySearch, searchRequest, withoutFilters } from '../search';
import { useLibrary } from './context';
import classes from './library.module.css';
import { SkillRow } from './SkillRow';

type Found = Schemas['FoundView'];

type HitsProps = { search: LibrarySearch; change: (next: LibrarySearch) => void };

export function Hits({ search, change }: HitsProps) {
  const { selection } = useLibrary();
  const request = searchRequest(search);
  const query = useQuery({
    queryKey: ['skills', 'search', request],
    queryFn: ({ signal }) => call(api.POST('/api/v1/skills/search', { body: request, signal })),
    // What was found last stays until the next is there, so that nothing jumps while one types.
    placeholderData: keepPreviousData,
  });
  const found = query.data?.items;
  const shown = useRef<Schemas['SkillView'][]>([]);
  shown.current = found?.map(({ skill }) => skill) ?? [];
  if (!query.data || !found) {
    if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
    return <ListSkeleton rows={4} height={84} />;
  }
  const { min_similarity: bound, threshold, notice } = query.data;
  if (found.length === 0) return <NothingFits search={search} change={change} bound={bound} />;
  return (
    <Stack gap="xs">
      {notice && (
        <Alert variant="light" icon={<IconInfoCircle size={18} />}>
          {notice}
        </Alert>
      )}
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {search.weak
            ? `${counted(found.length, 'skill')}, also weak ones; agents use from ${percent(threshold)} on`
            : `${counted(found.length, 'skill')} at ${percent(bound)} or better`}
        </Text>
        <Group gap="xs">
          <Button size="compact-sm" variant="subtle" onClick={() => selection.choose(shown.current)}>
            Choose all
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => change({ ...search, weak: search.weak ? undefined : true })}
          >
            {search.weak ? 'Hide weaker matches' : 'Show weaker matches'}
          </Button>
        </Group>
      </Group>
      <ul
        className={classes.hits}
        aria-label="Skills that fit"
        data-fading={query.isPlaceholderData || undefined}
      >
        {found.map((hit) => (
          <li key={hit.skill.id}>
            <Hit hit={hit} shown={shown} threshold={threshold} />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function NothingFits({ search, change, bound }: HitsProps & { bound: number }) {
  const narrowed = filtersOn(search).length > 0;
  return (
    <Empty
      icon={IconSearchOff}
      title="Nothing fits"
      actions={
        <>
          {!search.weak && (
            <Button variant="filled" onClick={() => change({ ...search, weak: true })}>
              Show weaker matches
            </Button>
          )}
          {narrowed && <Button onClick={() => change(withoutFilters(search))}>Search without filters</Button>}
        </>
      }
    >
      {search.weak
        ? 'No skill has anything to do with these words.'
        : `No skill is at least ${percent(bound)} sure to serve “${search.q}”. An agent that asks this gets nothing either, rather than something that does not fit.`}
    </Empty>
  );
}

type HitProps = { hit: Found; shown: RefObject<Schemas['SkillView'][]>; threshold: number };

function Hit({ hit, shown, threshold }: HitProps) {
  const [open, { toggle }] = useDisclosure();
  const { skill, similarity, why, breakdown } = hit;
  const title = skill.title || skill.name;
  return (
    <>
      <SkillRow skill={skill} shown={shown} measure={<Similarity hit={hit} threshold={threshold} />}>
        <Group gap={4} wrap="nowrap" mt={2} className={classes.why}>
          <Text size="xs" className={classes.reason} data-open={open || undefined}>
            {why}
          </Text>
          {breakdown && (
            <ActionIcon
              size="sm"
              aria-label={`Why ${title}: the numbers`}
              aria-expanded={open}
              onClick={toggle}
            >
              <IconChevronDown size={14} className={classes.turn} data-open={open || undefined} />
            </ActionIcon>
          )}
        </Group>
      </SkillRow>
      {breakdown && (
        <Collapse expanded={open}>
          <Breakdown of={breakdown} similarity={similarity} threshold={threshold} />
        </Collapse>
      )}
    </>
  );
}

function Similarity({ hit, threshold }: { hit: Found; threshold: number }) {
  const { similarity, reaches_threshold: reaches } = hit;
  return (
    <Box
      className={classes.fit}
      title={
        reaches
          ? `An agent uses it without asking (from ${percent(threshold)})`
          : `Below ${percent(threshold)}: an agent is told of it, and does not use it unasked`
      }
    >
      <Text size="sm" fw={600}>
        {percent(similarity)}
      </Text>
      <Progress
        size="sm"
        mt={4}
        value={similarity * 100}
        color={reaches ? 'teal' : 'gray'}
        aria-label={`${percent(similarity)} similar`}
      />
    </Box>
  );
}

type BreakdownProps = { of: Schemas['BreakdownView']; similarity: number; threshold: number };

function Breakdown({ of, similarity, threshold }: BreakdownProps) {
  return (
    <dl className={classes.breakdown}>
      <Line term="Words in the skill">
        {of.words.length === 0
          ? 'none'
          : of.words.map(({ word, fields }) => `${word} (${fields.map(plain).join(', ')})`).join(' · ')}
      </Line>
      {of.missing.length > 0 && <Line term="Words it lacks">{of.missing.join(' · ')}</Line>}
      <Line term="Match of the words">
        {percent(of.lexical)} of the best possible; {percent(of.covered)} of the request is covered
      </Line>
      <Line term="Nearness of meaning">
        {of.cosine === null || of.cosine === undefined ? 'not asked' : `${of.cosine.toFixed(2)} cosine`}
      </Line>
      {of.example && (
        <Line term="Nearest example">
          “{of.example.prompt}”, {of.example.cosine.toFixed(2)}
        </Line>
      )}
      <Line term="Together">
        {percent(similarity)}; agents use a skill unasked from {percent(threshold)} on
      </Line>
    </dl>
  );
}

const plain = (field: string) => field.replaceAll('_', ' ');

function Line({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
