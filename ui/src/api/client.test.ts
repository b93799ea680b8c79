import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const KEY = 'repertoire-workspace';
const asked: (string | null)[] = [];

beforeEach(() => {
  asked.splice(0);
  vi.resetModules();
  vi.stubGlobal('fetch', async (_: unknown, init: RequestInit) => {
    asked.push(new Headers(init.headers).get('Repertoire-Workspace'));
    return new Response('{}');
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

test('a page stays in its workspace when another tab turns to another', async () => {
  localStorage.setItem(KEY, 'sales');
  const { fetchRaw } = await import('./client');
  localStorage.setItem(KEY, 'legal');
  await fetchRaw('/api/v1/me');
  localStorage.removeItem(KEY);
  await fetchRaw('/api/v1/me');
  expect(asked).toEqual(['sales', 'sales']);
});

test('what is remembered holds for the next page, not for this one', async () => {
  const { fetchRaw, rememberWorkspace } = await import('./client');
  rememberWorkspace('legal');
  await fetchRaw('/api/v1/me');
  vi.resetModules();
  const next = await import('./client');
  await next.fetchRaw('/api/v1/me');
  expect(asked).toEqual([null, 'legal']);
});

test('a forgotten workspace is forgotten here and by the next page', async () => {
  localStorage.setItem(KEY, 'gone');
  const { fetchRaw, forgetWorkspace } = await import('./client');
  forgetWorkspace();
  await fetchRaw('/api/v1/me');
  expect(asked).toEqual([null]);
  expect(localStorage.getItem(KEY)).toBeNull();
});
