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
    revision: 1,
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
    approve: true,
    remove: true,
  });
  const asked = { ...mine, promotion: { kind: 'workspace' } };
  expect(rightsOf(me(['member']), asked).approve).toBe(false);
});

test('rejecting takes a reviewer, whosever the skill is', () => {
  const mine = skill({ scope: { kind: 'user', user_id: 'me' }, status: 'pending_approval' });
  expect(rightsOf(me(['member']), mine)).toMatchObject({ approve: true, reject: false });
  expect(rightsOf(me(['reviewer']), mine).reject).toBe(true);
});

test('where two people are wanted, who wrote the revision does not approve it', () => {
  const agent = { procedural_memory: { enabled: true, approver: 'two_person' } } as Schemas['AgentView'];
  const waiting = skill({ scope: { kind: 'agent', agent_id: 'a' }, status: 'pending_approval' });
  expect(rightsOf(me(['reviewer']), { ...waiting, updated_by: 'me' }, agent)).toMatchObject({
    approve: false,
    reject: true,
  });
  expect(rightsOf(me(['reviewer']), { ...waiting, updated_by: 'other' }, agent).approve).toBe(true);
});

test('where the agent wants others to approve, the owner cannot', () => {
  const mine = skill({
    scope: { kind: 'agent_user', user_id: 'me', agent_id: 'a' },
    status: 'pending_approval',
  });
  const agent = (approver: string) =>
    ({ procedural_memory: { enabled: true, approver } }) as Schemas['AgentView'];
  expect(rightsOf(me(['member']), mine, agent('owner')).approve).toBe(true);
  expect(rightsOf(me(['member']), mine, agent('two_person')).approve).toBe(false);
});

test('a policy is switched by policy admins only', () => {
  const policy = skill({ facets: ['policy'] });
  expect(rightsOf(me(['admin']), policy)).toMatchObject({ switch: false, approve: false, remove: false });
  expect(rightsOf(me(['admin', 'policy_admin']), policy).switch).toBe(true);
  // One that only waits is refused by any reviewer; one in force is not.
  expect(rightsOf(me(['reviewer']), policy).reject).toBe(true);
  expect(rightsOf(me(['reviewer']), { ...policy, enforced_revision: 1 }).reject).toBe(false);
});
