/** What the library's address says: words, filters, order and grouping. */

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
  if (search.group === 'owner') read.group = 'owner';
  if (search.sort === 'name' || search.sort === 'updated' || search.sort === 'created')
    read.sort = search.sort;
  return read;
}
