/** The entries of a session as a person reads them: a call together with its result and what it made. */
import type { Schemas } from '@/api/client';
import { type Artifact, readArtifact } from './artifacts';
import type { Entry } from './queries';

export type CallTurn = {
  kind: 'call';
  number: number;
  call?: Entry;
  result?: Entry;
  artifacts: Artifact[];
  /** All of what it answered, where it was called from this page. */
  answer?: Schemas['InterpretedView'];
};
export type Turn =
  | { kind: 'message'; number: number; entry: Entry }
  | { kind: 'artifact'; number: number; artifact: Artifact }
  | CallTurn;

/** The interpreter's name in a session. */
export const INTERPRETER = 'code_interpreter';

export function turnsOf(entries: Entry[]): Turn[] {
  const turns: Turn[] = [];
  const calls = new Map<string, CallTurn>();
  for (const entry of entries) {
    const known = entry.call_id ? calls.get(entry.call_id) : undefined;
    if (entry.kind === 'message') {
      turns.push({ kind: 'message', number: entry.number, entry });
    } else if (entry.kind === 'artifact') {
      const artifact = readArtifact(entry.data);
      if (!artifact) continue;
      if (known) known.artifacts.push(artifact);
      else turns.push({ kind: 'artifact', number: entry.number, artifact });
    } else if (entry.kind === 'tool_result' && known && !known.result) {
      known.result = entry;
    } else {
      const turn: CallTurn = { kind: 'call', number: entry.number, artifacts: [] };
      if (entry.kind === 'tool_call') turn.call = entry;
      else turn.result = entry;
      if (entry.call_id) calls.set(entry.call_id, turn);
      turns.push(turn);
    }
  }
  return turns;
}

/** What a call of the interpreter was given. */
export type CallData = {
  operation?: string;
  code?: string;
  skill_name?: string;
  skill_description?: string;
  skill_parameters?: Record<string, unknown>;
};

/** What a call was, in words. What failed is not told as done. */
export function titleOf({ call, result }: Pick<CallTurn, 'call' | 'result'>): string {
  const tool = (call ?? result)?.tool ?? 'tool';
  if (tool !== INTERPRETER) return tool;
  const data = (call?.data ?? {}) as CallData;
  const skill = data.skill_name ?? 'a skill';
  const done = !result?.failed;
  switch (data.operation ?? 'execute') {
    case 'execute':
      return 'Ran code';
    case 'search_skills':
      return `Searched for “${call?.text ?? ''}”`;
    case 'use_skill':
      return done ? `Used ${skill}` : `Tried ${skill}`;
    case 'register_skill':
      return done ? `Saved ${skill}` : `Could not save ${skill}`;
    default:
      return data.operation ?? tool;
  }
}

/** Something sent from this page. */
export type Sent = {
  id: number;
  text: string;
  /** The last entry there was when it was sent. */
  after: number;
  state: 'running' | 'done' | 'failed';
  answer?: Schemas['InterpretedView'];
  error?: unknown;
  /** Whether what the server kept was read since. */
  settled?: boolean;
};

/**
 * Puts what was sent from here together with what the server kept of it: a kept call gets its whole answer, and what
 * is kept already is not shown twice.
 */
export function together(kept: Turn[], sent: Sent[]): { turns: Turn[]; unkept: Sent[] } {
  const taken = new Map<number, Sent>();
  const unkept: Sent[] = [];
  for (const one of sent) {
    const fits = (turn: Turn): turn is CallTurn =>
      turn.kind === 'call' &&
      turn.call?.tool === INTERPRETER &&
      turn.number > one.after &&
      !taken.has(turn.number);
    const candidates = kept.filter(fits);
    if (one.state === 'done') {
      const ended = candidates.filter((turn) => turn.result);
      const own = ended.find((turn) => turn.result?.text === one.answer?.text) ?? ended[0];
      if (own) taken.set(own.number, one);
      else unkept.push(one);
    } else {
      const own = candidates.find((turn) => !turn.result);
      if (own && one.state === 'running') taken.set(own.number, one);
      unkept.push(one);
    }
  }
  const turns = kept.flatMap((turn): Turn[] => {
    const own = taken.get(turn.number);
    if (!own || turn.kind !== 'call') return [turn];
    return own.state === 'done' ? [{ ...turn, answer: own.answer }] : [];
  });
  return { turns, unkept };
}

const SESSION = /^The files are in the code session ([0-9a-f-]{36});/m;

/** The code session a conversation last worked in: where its files are. */
export function codeSessionOf(turns: Turn[]): string | undefined {
  for (const turn of [...turns].reverse()) {
    if (turn.kind !== 'call' || (turn.call ?? turn.result)?.tool !== INTERPRETER) continue;
    const data = turn.call?.data as { session_id?: string } | undefined;
    const found = turn.answer?.session_id ?? turn.result?.text.match(SESSION)?.[1] ?? data?.session_id;
    if (found) return found;
  }
  return undefined;
}

/** An answer in words without what it says to a model only. */
export function forPeople(text: string): string {
  return text
    .replace(/\n+Tell the user that you [^\n]*$/, '')
    .replace(/\n+A skill of similarity \S+ or more fits: [^\n]*$/, '')
    .replace(/\nThe files are in the code session [^\n]*go on with them\./, '')
    .trimEnd();
}
