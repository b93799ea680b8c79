import { expect, test } from 'vitest';
import { concerns, type ReviewedSkill, rightsOf, whatWaits } from './rights';

const me = { id: 'me', roles: ['member'], operator: false };
const reviewer = { id: 'rita', roles: ['reviewer'], operator: false };

const skill = (change: Partial<ReviewedSkill> = {}): ReviewedSkill => ({
  scope: { kind: 'user', user_id: 'me', agent_id: null },
  promotion: null,
  status: 'pending_approval',
  enabled: true,
  facets: ['instructions'],
  created_by: 'me',
  updated_by: 'me',
  origin: 'user',
  revision: 1,
  ...change,
});
const shared = { kind: 'workspace', user_id: null, agent_id: null };

test('an owner approves their own skill unless the agent wants somebody else to', () => {
  expect(rightsOf(me, skill()).approve).toBeNull();
  expect(rightsOf(me, skill(), 'admin').approve).toContain('reviewer or admin');
  expect(rightsOf(reviewer, skill(), 'admin').approve).toBeNull();
});

test('widening a scope is never the decision of the owner alone', () => {
  const asked = skill({ status: 'active', promotion: shared });
  expect(rightsOf(me, asked).approve).toContain('reviewer or admin');
  expect(rightsOf(reviewer, asked).approve).toBeNull();
});

test('with two persons the author of a revision does not approve it', () => {
  expect(rightsOf(reviewer, skill({ updated_by: 'rita' }), 'two_person').approve).toContain(
    'another reviewer',
  );
  expect(rightsOf(reviewer, skill(), 'two_person').approve).toBeNull();
});

test('a policy takes a policy admin, and what is off is enabled first', () => {
  expect(rightsOf(reviewer, skill({ facets: ['policy'] })).approve).toContain('policy_admin');
  expect(rightsOf(reviewer, skill({ enabled: false })).approve).toContain('enable it first');
});

test('a member submits and discards what they wrote, and rejects nothing', () => {
  const draft = skill({ status: 'draft', scope: shared });
  const rights = rightsOf(me, draft);
  expect([rights.submit, rights.discard, rights.edit]).toEqual([null, null, null]);
  expect(rights.reject).not.toBeNull();
  expect(rightsOf({ ...me, id: 'else' }, draft).discard).not.toBeNull();
});

test('the queue of a member holds what is theirs, that of a reviewer everything', () => {
  const other = skill({ scope: { ...shared, kind: 'user', user_id: 'bob' }, created_by: 'bob' });
  expect([concerns(me, skill()), concerns(me, other), concerns(reviewer, other)]).toEqual([
    true,
    false,
    true,
  ]);
});

test('what waits is said in a word', () => {
  expect(whatWaits(skill({ revision: 3 }))).toBe('Edit');
  expect(whatWaits(skill())).toBe('New skill');
  expect(whatWaits(skill({ status: 'active', promotion: shared }))).toBe('Promotion');
});
