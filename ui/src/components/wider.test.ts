import { expect, test } from 'vitest';
import { widerScopes } from './wider';

test('a skill is only promoted to wider scopes', () => {
  expect(widerScopes('agent_user')).toEqual(['user', 'agent', 'workspace']);
  expect(widerScopes('agent')).toEqual(['workspace']);
  expect(widerScopes('user')).toEqual(['workspace']);
  expect(widerScopes('workspace')).toEqual([]);
});
