import { expect, test } from 'vitest';
import { beginningOf } from './spans';

test('a span begins so many hours ago, and an unknown one nowhere', () => {
  const now = Date.parse('2026-03-02T12:00:00Z');
  expect(beginningOf('24h', now)).toBe('2026-03-01T12:00:00.000Z');
  expect(beginningOf('forever', now)).toBeUndefined();
});
