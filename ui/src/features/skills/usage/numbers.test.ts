import { expect, test } from 'vitest';
import { byDay, durations, median, type Run } from './numbers';

const run = (started_at: string, status: string, duration_ms: number) =>
  ({ started_at, status, duration_ms, revision: 1 }) as Run;
const runs = [
  run('2026-03-04T10:00:00Z', 'succeeded', 30),
  run('2026-03-02T11:00:00Z', 'failed', 10),
  run('2026-03-02T10:00:00Z', 'succeeded', 20),
];

test('days without a run stand between those with some', () => {
  expect(byDay(runs)).toEqual([
    { day: '2026-03-02', Succeeded: 1, Failed: 1 },
    { day: '2026-03-03', Succeeded: 0, Failed: 0 },
    { day: '2026-03-04', Succeeded: 1, Failed: 0 },
  ]);
  expect(byDay(runs, 1)).toEqual([{ day: '2026-03-04', Succeeded: 1, Failed: 0 }]);
  expect(byDay([])).toEqual([]);
});

test('durations go from the oldest to the newest, and only the newest stay', () => {
  expect(durations(runs).map((one) => one.Duration)).toEqual([20, 10, 30]);
  expect(durations(runs, 2).map((one) => one.Duration)).toEqual([10, 30]);
});

test('the median is the one in the middle', () => {
  expect(median(runs)).toBe(20);
  expect(median(runs.slice(1))).toBe(15);
  expect(median([])).toBeNull();
});
