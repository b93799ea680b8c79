/** What the library's address says: words, filters, order and grouping. */
import type { Schemas } from '@/api/client';
import type { SkillListQuery } from '@/api/queries';

export type LibrarySearch = {
  q?: string;
  tag?: string;
  origin?: string;
  status?: string;
  scope?: string;
  facet?: string;
  agent?: string;
  user?: string;
  enabled?: boolean;
  /** What was deleted and can be brought back. */
  deleted?: boolean;
  /** Also what search finds too unlike. */
  weak?: boolean;
  group?: 'owner';
  sort?: 'name' | 'updated' | 'created';
};

const words = ['q', 'tag', 'origin', 'status', 'scope', 'facet', 'agent', 'user'] as const;

export function readLibrarySearch(search: Record<string, unknown>): LibrarySearch {
  const read: LibrarySearch = {};
  for (const word of words) {
    const value = search[word];
    if (typeof value === 'string' && value) read[word] = value;
    else if (typeof value === 'number') read[word] = String(value);
  }
  if (typeof search.enabled === 'boolean') read.enabled = search.enabled;
  if (search.deleted === true) read.deleted = true;
  if (search.weak === true) read.weak = true;
  if (search.group === 'owner') read.group = 'owner';
  if (search.sort === 'name' || search.sort === 'updated' || search.sort === 'created')
    read.sort = search.sort;
  return read;
}

/** The filters a person can set, in the order they are shown. */
const filterWords = [
  'tag',
  'origin',
  'status',
  'scope',
  'facet',
  'agent',
  'user',
  'enabled',
  'deleted',
] as const;
export type FilterWord = (typeof filterWords)[number];

export function filtersOn(search: LibrarySearch): FilterWord[] {
  return filterWords.filter((word) => search[word] !== undefined);
}

/** The same address without its filters; words, order and grouping stay. */
export function withoutFilters(search: LibrarySearch): LibrarySearch {
  const rest = { ...search };
  for (const word of filterWords) delete rest[word];
  return rest;
}

/** Whether the words are for search, which ranks. It knows nothing of deleted skills: those are found by their letters. */
export function isRanked(search: LibrarySearch): boolean {
  return Boolean(search.q) && !search.deleted;
}

/** The address as the list operation takes it. */
export function listFilter(search: LibrarySearch): SkillListQuery {
  const { tag, origin, status, scope, facet, agent, user, enabled, deleted, sort } = search;
  const q = isRanked(search) ? undefined : search.q;
  const filter = { q, tag, origin, status, scope, facet, agent, user, enabled, deleted, sort };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** How many hits are asked for: whoever needs more needs other words. */
const MOST_HITS = 50;

/** The address as the search operation takes it, over everything the library shows. */
export function searchRequest(search: LibrarySearch): Schemas['SearchRequest'] {
  const { q, tag, origin, status, scope, facet, agent, user, enabled, weak } = search;
  return {
    query: q ?? '',
    nearest: false,
    limit: MOST_HITS,
    ...(weak && { min_similarity: 0 }),
    ...(tag && { tags: [tag] }),
    ...(facet && { facets: [facet as Schemas['FacetWord']] }),
    ...(origin && { origin }),
    ...(status && { status }),
    ...(scope && { scope }),
    ...(agent && { agent }),
    ...(user && { user }),
    ...(enabled !== undefined && { enabled }),
  };
}
