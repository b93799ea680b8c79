import { expect, test } from 'vitest';
import type { Schemas } from '@/api/client';
import type { Entry } from './queries';
import { codeSessionOf, forPeople, type Sent, titleOf, together, turnsOf } from './turns';

const entry = (number: number, kind: string, change: Partial<Entry> = {}): Entry => ({
  number,
  kind,
  text: '',
  failed: false,
  internal: false,
  at: '2026-11-16T08:00:00Z',
  role: null,
  tool: kind.startsWith('tool') ? 'code_interpreter' : null,
  call_id: null,
  data: null,
  ...change,
});
const saved = {
  id: '1',
  title: 'Skill Saved: add',
  type: 'skill_saved',
  filepath: '/instances/default/providers/FoundationaLLM.Skill/skills/add_alice',
  metadata: { skill_name: 'add', skill_description: '', skill_code: '', skill_status: 'Active' },
};
const entries = [
  entry(1, 'message', { role: 'user', text: 'hello' }),
  entry(2, 'tool_call', { call_id: 'a' }),
  entry(3, 'tool_call', { call_id: 'b' }),
  entry(4, 'tool_result', { call_id: 'a', text: 'Result: 1' }),
  entry(5, 'artifact', { call_id: 'a', data: saved }),
];

test('a call stands with its result and its artifacts, also when another came between', () => {
  const [message, first, second] = turnsOf(entries);
  expect(message?.kind).toBe('message');
  expect(first).toMatchObject({ kind: 'call', number: 2, result: { number: 4 }, artifacts: [saved] });
  expect(second).toMatchObject({ kind: 'call', number: 3, artifacts: [] });
});

test('data that is no artifact is shown as none', () => {
  expect(turnsOf([entry(1, 'artifact', { data: { type: 'picture' } })])).toEqual([]);
});

const sent = (change: Partial<Sent>): Sent => ({ id: 1, text: '1', after: 1, state: 'running', ...change });
const answer = { text: 'Result: 1' } as Schemas['InterpretedView'];

test('a save that was refused is not told as saved', () => {
  const call = entry(1, 'tool_call', { data: { operation: 'register_skill', skill_name: 'add' } });
  const result = (failed: boolean) => entry(2, 'tool_result', { failed });
  expect(titleOf({ call, result: result(false) })).toBe('Saved add');
  expect(titleOf({ call, result: result(true) })).toBe('Could not save add');
});

test('what was sent from here is shown once, with its whole answer', () => {
  const { turns, unkept } = together(turnsOf(entries), [sent({ state: 'done', answer })]);
  expect(unkept).toEqual([]);
  expect(turns[1]).toMatchObject({ number: 2, answer });
});

test('while it runs, its kept call is not shown beside it', () => {
  const { turns, unkept } = together(turnsOf(entries), [sent({})]);
  expect(unkept).toHaveLength(1);
  expect(turns.map((turn) => turn.number)).toEqual([1, 2]);
});

test('what the server did not keep stays', () => {
  expect(together([], [sent({ state: 'done', answer })]).unkept).toHaveLength(1);
  expect(together(turnsOf(entries), [sent({ state: 'failed', after: 5 })]).unkept).toHaveLength(1);
});

test('the files of a conversation are in the code session it last worked in', () => {
  const id = '0198b1de-0000-7000-8000-000000000001';
  const text = `Files: a.csv (3 bytes)\nThe files are in the code session ${id}; give it as \`session_id\` to go on with them.`;
  expect(codeSessionOf(turnsOf([...entries, entry(6, 'tool_result', { text })]))).toBe(id);
  expect(codeSessionOf(turnsOf(entries))).toBeUndefined();
});

test('what is said to a model only is left out', () => {
  expect(
    forPeople("Used skill 'a'\n\nTell the user that you used the existing skill 'a', and what for."),
  ).toBe("Used skill 'a'");
  expect(
    forPeople(
      'add (similarity 0.9): Adds.\nA skill of similarity 0.8 or more fits: use it, and tell the user so.',
    ),
  ).toBe('add (similarity 0.9): Adds.');
  const id = '0198b1de-0000-7000-8000-000000000001';
  const place = `The files are in the code session ${id}; give it as \`session_id\` to go on with them.`;
  expect(forPeople(`Files: a.csv (3 bytes)\n${place}`)).toBe('Files: a.csv (3 bytes)');
});
