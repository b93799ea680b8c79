import { expect, test } from 'vitest';
import type { Schemas } from '@/api/client';
import { rightsOf } from './rights';

const me = (roles: string[], operator = false) =>
  ({ user: { id: 'me', roles, operator }, token_scopes: [] }) as unknown as Schemas['MeView'];

const skill = (over: Partial<Schemas['SkillView']> = {}) =>
  ({
    scope: { kind: 'workspace' },
    origin: 'user',
    status: 'active',
    facets: ['instructions'],
    created_by: 'other',
    ...over,
  }) as Schemas['SkillView'];

test('a shared skill is changed by reviewers; its author may while it is not let in', () => {
  expect(rightsOf(me(['member']), skill()).edit).toBe(false);
  expect(rightsOf(me(['member']), skill()).why).toMatch(/shared/);
  expect(rightsOf(me(['reviewer']), skill()).edit).toBe(true);
  expect(rightsOf(me(['member']), skill({ created_by: 'me', status: 'draft' })).edit).toBe(true);
  expect(rightsOf(me(['member']), skill({ created_by: 'me' })).edit).toBe(false);
});

test('what comes with a provider is read-only for everyone', () => {
  const rights = rightsOf(me(['admin']), skill({ origin: 'provider' }));
  expect(rights).toMatchObject({ edit: false, archive: false, promote: false, switch: true });
});

test('one’s own skill is one’s own, but not its promotion', () => {
  const mine = skill({ scope: { kind: 'user', user_id: 'me' } });
  expect(rightsOf(me(['member']), mine)).toMatchObject({
    edit: true,
    switch: true,
    review: true,
    remove: true,
  });
  const asked = { ...mine, promotion: { kind: 'workspace' } };
  expect(rightsOf(me(['member']), asked).review).toBe(false);
});

test('where the agent wants others to approve, the owner cannot', () => {
  const mine = skill({
    scope: { kind: 'agent_user', user_id: 'me', agent_id: 'a' },
    status: 'pending_approval',
  });
  const agent = (approver: string) =>
    ({ procedural_memory: { enabled: true, approver } }) as Schemas['AgentView'];
  expect(rightsOf(me(['member']), mine, agent('owner')).review).toBe(true);
  expect(rightsOf(me(['member']), mine, agent('two_person')).review).toBe(false);
});

test('a policy is switched by policy admins only', () => {
  const policy = skill({ facets: ['policy'] });
  expect(rightsOf(me(['admin']), policy)).toMatchObject({ switch: false, review: false, remove: false });
  expect(rightsOf(me(['admin', 'policy_admin']), policy).switch).toBe(true);
});
