import { expect, test } from 'vitest';
import { standingOf } from './standing';

test('an operator administers every workspace, also where they have no role', () => {
  expect(standingOf({ id: 'ada', roles: [], operator: true })).toMatchObject({ admin: true, operator: true });
  expect(standingOf({ id: 'ada', roles: ['admin'], operator: false }).admin).toBe(true);
});

test('a policy admin takes the role itself, and nobody known may nothing', () => {
  expect(standingOf({ id: 'ada', roles: [], operator: true }).policyAdmin).toBe(false);
  expect(standingOf({ id: 'mara', roles: ['member'], operator: false }).admin).toBe(false);
  expect(standingOf(undefined)).toMatchObject({ admin: false, operator: false });
});
