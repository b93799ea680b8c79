import { expect, test } from 'vitest';
import type { Names } from '@/components/names';
import { type Entry, sentence } from './sentences';

const names: Pick<Names, 'user' | 'agent'> = {
  user: (id) => (id === 'ada' ? 'Ada' : 'someone'),
  agent: (id) => (id === 'bot' ? 'Release bot' : 'an agent'),
};

const entry = (
  verb: string,
  kind: string,
  id: string,
  detail: Record<string, unknown> = {},
  agent?: string,
) =>
  ({ verb, subject_kind: kind, subject_id: id, detail, user_id: 'ada', agent_id: agent }) as unknown as Entry;

test('an entry reads as a sentence, with the agent and the reason', () => {
  const read = sentence(
    entry('skill.reject', 'skill', 's1', { name: 'wipe-disk', reason: 'too broad' }, 'bot'),
    names,
  );
  expect(read).toEqual({
    who: 'Ada',
    through: 'Release bot',
    did: 'rejected the skill',
    what: 'wipe-disk',
    place: { skill: 's1' },
    more: '“too broad”',
  });
});

test('what is gone has no link, and a run leads to its skill', () => {
  expect(sentence(entry('skill.delete', 'skill', 's1', { name: 'old' }), names).place).toBeNull();
  expect(sentence(entry('run.execute', 'run', 'r1', { skill: 's2', name: 'sum' }), names).place).toEqual({
    skill: 's2',
  });
});

test('the server itself, and verbs that nobody foresaw, are said too', () => {
  const read = sentence({ ...entry('moon.land', 'moon', 'm1'), user_id: null }, names);
  expect([read.who, read.did, read.what]).toEqual(['The server', 'did moon.land to', 'moon m1']);
});
