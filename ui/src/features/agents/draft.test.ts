import { expect, test } from 'vitest';
import { type Agent, differing, draftOf, moved, rebased, requestOf, same } from './draft';

const agent = {
  id: 'a',
  name: 'release-bot',
  title: 'Release bot',
  description: '',
  discovery: 'auto',
  discovery_token_budget: 2000,
  toolsets: [],
  run_limits: { wall_ms: null },
  skills: [{ skill_id: 's1' }, { skill_id: 's2', pin: 3 }],
  version: 1,
} as unknown as Agent;

test('an agent without procedural memory stays without it when it is saved unchanged', () => {
  expect(requestOf(draftOf(agent)).procedural_memory).toBeNull();
  const on = { ...draftOf(agent), memory: { ...draftOf(agent).memory, enabled: true } };
  expect(requestOf(on).procedural_memory?.enabled).toBe(true);
});

test('what others saved stays where I changed something else', () => {
  const base = draftOf(agent);
  const mine = { ...base, title: 'Shipping bot' };
  const theirs = { ...base, title: 'Release robot', discovery: 'search' };
  expect(differing(base, theirs)).toEqual(['title', 'discovery mode']);
  expect(rebased(mine, base, theirs)).toEqual({ ...base, title: 'Shipping bot', discovery: 'search' });
});

test('of memory and run limits, what others set beside mine stays too', () => {
  const base = draftOf(agent);
  const mine = {
    ...base,
    memory: { ...base.memory, enabled: true },
    run_limits: { ...base.run_limits, wall_ms: 5_000 },
  };
  const theirs = {
    ...base,
    memory: { ...base.memory, require_skill_approval: true },
    run_limits: { ...base.run_limits, memory_bytes: 1_024 },
  };
  const { memory, run_limits } = rebased(mine, base, theirs);
  expect(memory).toEqual({ ...base.memory, enabled: true, require_skill_approval: true });
  expect(run_limits).toEqual({ wall_ms: 5_000, memory_bytes: 1_024 });
});

test('lists are the same only in the same order', () => {
  expect(same([1, 2], [1, 2])).toBe(true);
  expect(same([1, 2], [2, 1])).toBe(false);
  expect(same({ a: 1, b: [null] }, { b: [null], a: 1 })).toBe(true);
  expect(same({}, [])).toBe(false);
  expect(same(null, {})).toBe(false);
});

test('a move keeps everything else in order', () => {
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
  expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
  expect(moved(['a'], 5, 0)).toEqual(['a']);
});
