import type { Schemas } from '@/api/client';

export type Wider = Schemas['WiderScope'];

/** The scopes a skill can be promoted to. */
export function widerScopes(kind: string): Wider[] {
  if (kind === 'agent_user') return ['user', 'agent', 'workspace'];
  return kind === 'workspace' ? [] : ['workspace'];
}
