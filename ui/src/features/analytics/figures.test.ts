import { expect, test } from 'vitest';
import { bars, timeSaved, window } from './figures';

const day = (at: number, uses = 1) => ({
  day: new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10),
  uses,
  successes: uses,
  failures: 0,
});

test('a span counts today as its last day', () => {
  expect(window(7, new Date('2026-03-03T23:30:00Z'))).toEqual({ since: '2026-02-25', until: '2026-03-03' });
});

test('a year is shown by weeks, and no use is lost', () => {
  const days = Array.from({ length: 365 }, (_, at) => day(at, at));
  const shown = bars(days);
  expect(shown.length).toBe(53);
  expect(shown.reduce((sum, bar) => sum + bar.uses, 0)).toBe((364 * 365) / 2);
  expect(bars(days.slice(0, 30))).toHaveLength(30);
});

test('time saved is said in the unit that fits', () => {
  expect(timeSaved(3, 5)).toBe('15 min');
  expect(timeSaved(30, 5)).toBe('2.5 h');
  expect(timeSaved(60_000, 5)).toBe('5,000 h');
});
