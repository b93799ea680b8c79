import { expect, test } from 'vitest';
import { filtersOn, isRanked, listFilter, readLibrarySearch, searchRequest, withoutFilters } from './search';

test('an address that makes no sense is read as far as it does', () => {
  const read = readLibrarySearch({ q: 42, tag: '', status: 'draft', enabled: 'no', sort: 'size', other: 1 });
  expect(read).toEqual({ q: '42', status: 'draft' });
});

test('what is read from an address and written again is the same', () => {
  const search = {
    q: 'loan',
    tag: 'finance',
    enabled: false,
    deleted: true,
    weak: true,
    group: 'owner',
    sort: 'updated',
  };
  expect(readLibrarySearch(search)).toEqual(search);
});

test('a list is asked only for what is set', () => {
  expect(listFilter({ q: 'loan', tag: 'finance', enabled: false, group: 'owner' })).toEqual({
    tag: 'finance',
    enabled: false,
  });
});

test('search looks among everything that the library shows, at the usual bound', () => {
  expect(searchRequest({ q: 'loan', tag: 'finance', facet: 'procedure', enabled: true })).toEqual({
    query: 'loan',
    nearest: false,
    limit: 50,
    tags: ['finance'],
    facets: ['procedure'],
    enabled: true,
  });
  expect(searchRequest({ q: 'loan', weak: true }).min_similarity).toBe(0);
});

test('clearing filters leaves the words and the order', () => {
  const search = { q: 'loan', tag: 'finance', user: 'u', sort: 'updated' } as const;
  expect(filtersOn(search)).toEqual(['tag', 'user']);
  expect(withoutFilters(search)).toEqual({ q: 'loan', sort: 'updated' });
});

test('words find deleted skills by their letters, since search does not know them', () => {
  expect(isRanked({ q: 'loan' })).toBe(true);
  expect(isRanked({ q: 'loan', deleted: true })).toBe(false);
  expect(listFilter({ q: 'loan', deleted: true })).toEqual({ q: 'loan', deleted: true });
});
