import { expect, test } from 'vitest';
import { leaves } from './unsaved';

test('another page is left for, another view of the same one only where everything goes with it', () => {
  const here = { pathname: '/skills/new', search: {} };
  const code = { pathname: '/skills/new', search: { from: 'code' } };
  expect(leaves(here, { pathname: '/skills', search: {} }, false)).toBe(true);
  expect(leaves(here, code, false)).toBe(false);
  expect(leaves(here, code, true)).toBe(true);
  expect(leaves(here, { ...here, search: {} }, true)).toBe(false);
});
