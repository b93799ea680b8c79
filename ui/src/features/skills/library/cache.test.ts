import { afterEach, expect, test } from 'vitest';
import { queryClient } from '@/api/queries';
import { patchSkill } from './cache';

afterEach(() => queryClient.clear());

const skill = (id: string) => ({ id, name: id, enabled: true });

test('a change shows in lists, among hits and on the page of the skill', () => {
  queryClient.setQueryData(['skills', 'list', {}], {
    pages: [{ items: [skill('a'), skill('b')] }],
    pageParams: [],
  });
  queryClient.setQueryData(['skills', 'search', 'x'], { items: [{ skill: skill('b'), similarity: 0.9 }] });
  queryClient.setQueryData(['skills', 'one', 'b'], skill('b'));
  patchSkill('b', { enabled: false });
  expect(queryClient.getQueryData(['skills', 'list', {}])).toMatchObject({
    pages: [{ items: [{ enabled: true }, { enabled: false }] }],
  });
  expect(queryClient.getQueryData(['skills', 'search', 'x'])).toMatchObject({
    items: [{ skill: { enabled: false }, similarity: 0.9 }],
  });
  expect(queryClient.getQueryData(['skills', 'one', 'b'])).toMatchObject({ enabled: false });
});

test('pages without the skill stay the very same', () => {
  const pages = [{ items: [skill('a')] }, { items: [skill('b')] }];
  queryClient.setQueryData(['skills', 'list', {}], { pages, pageParams: [] });
  patchSkill('b', { enabled: false });
  const after = queryClient.getQueryData<{ pages: unknown[] }>(['skills', 'list', {}]);
  expect(after?.pages[0]).toBe(pages[0]);
  expect(after?.pages[1]).not.toBe(pages[1]);
});
