import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Schemas } from '@/api/client';

type Skill = Schemas['SkillView'];
type Sent = { did: string; body: Record<string, unknown> | null };

let sent: Sent[] = [];
let answer: (did: string) => Response;

const json = (body: unknown, status = 200) => Response.json(body, { status });

beforeEach(() => {
  sent = [];
  answer = () => json({ changed: true });
  vi.resetModules();
  vi.stubGlobal('fetch', async (request: Request) => {
    const did = `${request.method} ${new URL(request.url).pathname.replace('/api/v1/skills/', '')}`;
    const text = await request.text();
    sent.push({ did, body: text ? JSON.parse(text) : null });
    return answer(did);
  });
});
afterEach(() => vi.unstubAllGlobals());

const skill = (part: Partial<Skill>) =>
  ({ id: 'a', name: 'a', status: 'active', enabled: true, revision: 4, tags: ['old'], ...part }) as Skill;
const steps = () => sent.map(({ did }) => did);

test('what was active and off is so again after its archiving is taken back', async () => {
  const { deeds } = await import('./deeds');
  await deeds.archive.undo(skill({ enabled: false }));
  expect(steps()).toEqual(['POST a/reopen', 'POST a/enable', 'POST a/approve', 'POST a/disable']);
});

test('what could not be approved again is not left on', async () => {
  const { deeds } = await import('./deeds');
  answer = (did) => (did.endsWith('approve') ? json({ detail: 'not yours' }, 403) : json({ changed: true }));
  await expect(deeds.archive.undo(skill({ enabled: false }))).rejects.toThrow('not yours');
  expect(steps().at(-1)).toBe('POST a/disable');
});

test('what was on is approved without touching its switch', async () => {
  const { deeds } = await import('./deeds');
  await deeds.archive.undo(skill({}));
  expect(steps()).toEqual(['POST a/reopen', 'POST a/approve']);
});

test('only what can be again what it was is offered to be taken back', async () => {
  const { deeds } = await import('./deeds');
  const { archive, reopen } = deeds;
  expect(archive.undoable(skill({ status: 'active' }))).toBe(true);
  expect(archive.undoable(skill({ status: 'rejected' }))).toBe(false);
  expect(archive.undoable(skill({ promotion: { kind: 'workspace' } as Skill['promotion'] }))).toBe(false);
  expect(reopen.undoable(skill({ status: 'archived' }))).toBe(true);
  expect(reopen.undoable(skill({ status: 'rejected' }))).toBe(false);
});

test('a tag rests on the revision that was read, and its undo on the one it made', async () => {
  const { tagDeed } = await import('./deeds');
  const deed = tagDeed('docs');
  answer = () => json({ outcome: 'revised', findings: [], skill: skill({ revision: 5 }) });
  expect(await deed.act(skill({}))).toBe(true);
  await deed.undo?.(skill({}));
  expect(sent.map(({ body }) => [body?.tags, body?.expected_revision])).toEqual([
    [['old', 'docs'], 4],
    [['old'], 5],
  ]);
});

test('a tag keeps those that others set meanwhile', async () => {
  const { tagDeed } = await import('./deeds');
  const answers = [
    json({ code: 'stale_revision', detail: 'another revision is current' }, 409),
    json(skill({ revision: 6, tags: ['old', 'theirs'] })),
    json({ outcome: 'revised', findings: [], skill: skill({ revision: 7 }) }),
  ];
  answer = () => answers.shift() ?? json({}, 500);
  expect(await tagDeed('docs').act(skill({}))).toBe(true);
  expect(steps()).toEqual(['PATCH a', 'GET a', 'PATCH a']);
  expect(sent[2]?.body).toMatchObject({ tags: ['old', 'theirs', 'docs'], expected_revision: 6 });
});
