import { afterEach, expect, test, vi } from 'vitest';
import { followChanges } from './events';
import { queryClient } from './queries';

const ending = new AbortController();
afterEach(() => {
  ending.abort();
  queryClient.clear();
  vi.unstubAllGlobals();
});

const isOld = (key: string) => queryClient.getQueryState(['skills', key])?.isInvalidated;

test('what was read before anybody listened is read again, what came later is not', async () => {
  queryClient.setQueryData(['skills', 'before'], 1, { updatedAt: Date.now() - 50 });
  queryClient.setQueryData(['skills', 'after'], 1, { updatedAt: Date.now() + 60_000 });
  queryClient.setQueryData(['sandbox'], 1, { updatedAt: Date.now() - 50 });
  const hello = 'event: hello\ndata: {"topics":["skills"]}\n\n';
  vi.stubGlobal('fetch', async () => {
    const stream = new ReadableStream({
      start: (to) => to.enqueue(new TextEncoder().encode(hello)),
    });
    return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } });
  });
  followChanges(ending.signal);
  await vi.waitFor(() => expect(isOld('before')).toBe(true));
  expect(isOld('after')).toBe(false);
  expect(queryClient.getQueryState(['sandbox'])?.isInvalidated).toBe(false);
});
