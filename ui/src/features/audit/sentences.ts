/** The entries of the log as sentences: who did what to which. */
import type { Schemas } from '@/api/client';
import type { Names } from '@/components/names';

export type Entry = Schemas['AuditEntryView'];

export type Sentence = {
  who: string;
  /** The agent it was done through. */
  through: string | null;
  did: string;
  what: string;
  /** Where the thing can be seen; none where it has no page, or is gone. */
  place: { skill: string } | { agent: string } | { session: string } | { path: '/settings/users' } | null;
  more: string | null;
};

/** What each verb says of its subject. */
const phrases: Record<string, string> = {
  'skill.create': 'created the skill',
  'skill.edit': 'edited the skill',
  'skill.revise': 'put in a new revision of the skill',
  'skill.restore': 'restored a revision of the skill',
  'skill.label': 'labelled a revision of',
  'skill.bulk': 'put in many skills at once',
  'skill.delete': 'deleted the skill',
  'skill.undelete': 'brought back the skill',
  'skill.purge': 'purged',
  'skill.submit': 'submitted the skill',
  'skill.approve': 'approved the skill',
  'skill.reject': 'rejected the skill',
  'skill.archive': 'archived the skill',
  'skill.reopen': 'reopened the skill',
  'skill.enable': 'turned on the skill',
  'skill.disable': 'turned off the skill',
  'skill.promote': 'promoted the skill',
  'skill.ask_promotion': 'asked to promote the skill',
  'skill.use': 'used the skill',
  'skill.feedback': 'gave feedback on the skill',
  'run.execute': 'ran the skill',
  'run.prune': 'removed old runs of',
  'code.execute': 'executed code in',
  'session.start': 'started',
  'session.complete': 'completed',
  'session.delete': 'deleted',
  'session.prune': 'removed old sessions of',
  'agent.create': 'created the agent',
  'agent.update': 'changed the agent',
  'agent.delete': 'deleted the agent',
  'agent.assign': 'changed the skills of the agent',
  'user.add': 'added',
  'user.change': 'changed the standing of',
  'user.remove': 'removed',
  'token.create': 'created the token',
  'token.revoke': 'revoked',
  'sign_in.link': 'made a sign-in link for',
  'sign_in.create': 'signed in',
  'sign_in.end': 'signed out',
  'workspace.create': 'created the workspace',
  'workspace.change': 'changed the settings of',
  'backup.take': 'took a backup',
  'governance.decide': 'sealed decisions of governance',
  'governance.finish': 'ended a governed run',
  'governance.prune': 'removed old decisions of governance',
};

export const verbs = Object.keys(phrases);

/** Where the verb says it all. */
const alone = new Set([
  'skill.bulk',
  'sign_in.create',
  'sign_in.end',
  'backup.take',
  'governance.decide',
  'governance.finish',
  'governance.prune',
]);

type Known = Pick<Names, 'user' | 'agent'>;

export function sentence(entry: Entry, names: Known): Sentence {
  const detail = entry.detail as Record<string, unknown>;
  return {
    who: entry.user_id ? names.user(entry.user_id) : 'The server',
    through: entry.agent_id ? names.agent(entry.agent_id) : null,
    did: phrases[entry.verb] ?? `did ${entry.verb} to`,
    what: alone.has(entry.verb) ? '' : subject(entry, detail, names),
    place: placeOf(entry, detail),
    more: more(entry, detail),
  };
}

function words(value: unknown): string | null {
  return typeof value === 'string' && value ? value : null;
}

function subject(entry: Entry, detail: Record<string, unknown>, names: Known): string {
  const named = words(detail.name) ?? words(detail.handle);
  switch (entry.subject_kind) {
    case 'skill':
      return named ?? 'a skill';
    case 'run':
      return named ?? 'a skill';
    case 'agent':
      return named ?? names.agent(entry.subject_id);
    case 'user':
      return named ?? names.user(entry.subject_id);
    case 'token':
      return named ?? 'a token';
    case 'session':
      return 'a session';
    case 'code_session':
      return 'a code session';
    case 'workspace':
      return named ?? 'this workspace';
    default:
      return named ?? `${entry.subject_kind} ${entry.subject_id}`;
  }
}

const goneAfter = new Set(['skill.delete', 'skill.purge', 'agent.delete', 'session.delete', 'user.remove']);

function placeOf(entry: Entry, detail: Record<string, unknown>): Sentence['place'] {
  if (goneAfter.has(entry.verb)) return null;
  switch (entry.subject_kind) {
    case 'skill':
      return alone.has(entry.verb) ? null : { skill: entry.subject_id };
    case 'run': {
      const skill = words(detail.skill);
      return skill ? { skill } : null;
    }
    case 'agent':
      return { agent: entry.subject_id };
    case 'session':
      return { session: entry.subject_id };
    case 'user':
      return alone.has(entry.verb) ? null : { path: '/settings/users' };
    default:
      return null;
  }
}

function more(entry: Entry, detail: Record<string, unknown>): string | null {
  const said: string[] = [];
  if (typeof detail.revision === 'number') said.push(`revision ${detail.revision}`);
  if (words(detail.label)) said.push(`label ${detail.label}`);
  // A scope is its kind and then ids, which say nothing here.
  if (words(detail.to)) said.push(`to ${String(detail.to).split(':')[0]?.replace('_', ' and ')}`);
  if (words(detail.outcome)) said.push(String(detail.outcome));
  if (entry.verb === 'run.execute' && words(detail.status)) said.push(String(detail.status));
  if (typeof detail.success === 'boolean') said.push(detail.success ? 'with success' : 'without success');
  if (typeof detail.helpful === 'boolean') said.push(detail.helpful ? 'helpful' : 'not helpful');
  if (typeof detail.disabled === 'boolean') said.push(detail.disabled ? 'disabled' : 'let in again');
  if (Array.isArray(detail.roles)) said.push(`roles ${detail.roles.join(', ')}`);
  if (Array.isArray(detail.scopes)) said.push(`scopes ${detail.scopes.join(', ')}`);
  if (typeof detail.removed === 'number') said.push(`${detail.removed} removed`);
  if (typeof detail.decisions === 'number') said.push(`${detail.decisions} decisions`);
  if (words(detail.reason)) said.push(`“${detail.reason}”`);
  return said.length > 0 ? said.join(', ') : null;
}
