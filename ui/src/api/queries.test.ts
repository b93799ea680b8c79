import { afterEach, expect, test } from 'vitest';
import { meQuery, queryClient, refresh } from './queries';

afterEach(() => queryClient.clear());

test('what one reads of the workspace with oneself is read again when the workspace changes', async () => {
  const stale = (key: readonly string[]) => queryClient.getQueryState(key)?.isInvalidated;
  queryClient.setQueryData<unknown>(['users', 'me'], { workspace: { undelete_window_hours: 24 } });
  queryClient.setQueryData(['users', 'list'], { items: [] });
  await refresh('skills');
  expect(stale(meQuery.queryKey)).toBe(false);
  await refresh('workspace');
  expect(stale(meQuery.queryKey)).toBe(true);
  expect(stale(['users', 'list'])).toBe(false);
});
