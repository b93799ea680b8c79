import { expect, test } from 'vitest';
import { ownedBy, readArtifact, slugOf } from './artifacts';

test('a name as its author wrote it finds the name of the library', () => {
  expect([slugOf('Compound_Interest'), slugOf('tax-2026'), slugOf('_x_')]).toEqual([
    'compound-interest',
    'tax-2026',
    'x',
  ]);
});

test('of several skills of a name an artifact means that of its owners, or the one it was widened to', () => {
  const both = { scope: { kind: 'agent_user', agent_id: 'a', user_id: 'u' } };
  const shared = { scope: { kind: 'workspace', agent_id: null, user_id: null } };
  const foreign = { scope: { kind: 'agent_user', agent_id: 'a', user_id: 'else' } };
  expect(ownedBy([shared, foreign, both], 'a', 'u')).toBe(both);
  expect(ownedBy([foreign, shared], 'a', 'u')).toBe(shared);
  expect(ownedBy([foreign], 'a', 'u')).toBeUndefined();
  expect(ownedBy([both], 'a', undefined)).toBeUndefined();
});

test('only whole artifacts of skills are read', () => {
  expect(readArtifact({ type: 'skill_used', filepath: '/x', metadata: { skill_name: 'x' } })).not.toBeNull();
  expect(readArtifact({ type: 'skill_used' })).toBeNull();
  expect(readArtifact(null)).toBeNull();
});
