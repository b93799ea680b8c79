import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Schemas } from '@/api/client';

type Skill = Schemas['SkillView'];
type Sent = { did: string; version: string | null; body: Record<string, unknown> | null };

let sent: Sent[] = [];
let answer: (did: string) => Response;

const json = (body: unknown, status = 200) => Response.json(body, { status });

beforeEach(() => {
  sent = [];
  let version = 10;
  answer = () => json({ changed: true, skill: skill({ version: version++ }) });
  vi.resetModules();
  vi.stubGlobal('fetch', async (request: Request) => {
    const did = `${request.method} ${new URL(request.url).pathname.replace('/api/v1/skills/', '')}`;
    const text = await request.text();
    sent.push({ did, version: request.headers.get('If-Match'), body: text ? JSON.parse(text) : null });
    return answer(did);
  });
});
afterEach(() => vi.unstubAllGlobals());

const skill = (part: Partial<Skill>) =>
  ({ id: 'a', name: 'a', status: 'active', enabled: true, revision: 4, tags: ['old'], ...part }) as Skill;
const steps = () => sent.map(({ did }) => did);
const versions = () => sent.map(({ version }) => version);
const archived = { status: 'archived', version: 9 } as const;

test('what was active and off is so again after its archiving is taken back', async () => {
  const { deeds } = await import('./deeds');
  await deeds.archive.undo(skill({ enabled: false }), skill(archived));
  expect(steps()).toEqual(['POST a/reopen', 'POST a/enable', 'POST a/approve', 'POST a/disable']);
  expect(versions()).toEqual(['"9"', null, '"11"', null]);
});

test('what could not be approved again is not left on', async () => {
  const { deeds } = await import('./deeds');
  answer = (did) =>
    did.endsWith('approve') ? json({ detail: 'not yours' }, 403) : json({ changed: true, skill: skill({}) });
  await expect(deeds.archive.undo(skill({ enabled: false }), skill(archived))).rejects.toThrow('not yours');
  expect(steps().at(-1)).toBe('POST a/disable');
});

test('what was on is approved without touching its switch', async () => {
  const { deeds } = await import('./deeds');
  await deeds.archive.undo(skill({}), skill(archived));
  expect(steps()).toEqual(['POST a/reopen', 'POST a/approve']);
  expect(versions()).toEqual(['"9"', '"10"']);
});

test('what somebody wrote while an archiving was taken back is not approved', async () => {
  const { deeds } = await import('./deeds');
  answer = (did) =>
    json({ changed: true, skill: skill({ revision: did.endsWith('enable') ? 5 : 4, version: 11 }) });
  await expect(deeds.archive.undo(skill({ enabled: false }), skill(archived))).rejects.toThrow('in between');
  expect(steps()).toEqual(['POST a/reopen', 'POST a/enable', 'POST a/disable']);
});

test('many are approved as they were listed, each by its version', async () => {
  const { deeds } = await import('./deeds');
  expect((await deeds.approve.act(skill({ version: 3 })))?.version).toBe(10);
  expect(versions()).toEqual(['"3"']);
  answer = () => json({ changed: false, skill: skill({}) });
  expect(await deeds.approve.act(skill({ version: 3 }))).toBeNull();
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
  const tagged = await deed.act(skill({}));
  expect(tagged?.revision).toBe(5);
  await deed.undo?.(skill({}), tagged as Skill);
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
  expect((await tagDeed('docs').act(skill({})))?.revision).toBe(7);
  expect(steps()).toEqual(['PATCH a', 'GET a', 'PATCH a']);
  expect(sent[2]?.body).toMatchObject({ tags: ['old', 'theirs', 'docs'], expected_revision: 6 });
});
