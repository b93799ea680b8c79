/** The acceptance tests of procedural memory's first design, T1 to T10, done in the browser by the people they are about. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, type Person, settle, visit } from './browser';
import { begin, box, finds, lastCard, review, saveSkill, say } from './conversations';
import { type Body, Server } from './server';

type Page = Person['page'];
type Someone = Awaited<ReturnType<Server['person']>>;

let server: Server;

beforeAll(async () => {
  server = await Server.start();
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

const FACTORIAL = 'import math\nmath.factorial(10)';
const NAME = 'compound_interest_calculator';
const COMPOUND = `def ${NAME}(principal: float, rate: float, time: float, frequency: int = 12):
    return principal * (1 + rate / frequency) ** (frequency * time)
`;
const DESCRIPTION =
  'Calculates compound interest: what a principal grows to at a rate of interest over time.';
const AMOUNTS = 'principal=1000 rate=0.05 time=10 frequency=12';
const TIME_LIMIT = /stopped after 1 s, the time limit/i;
const HELLO = "print('Hello World')";

/** An agent; without settings it has no procedural memory. */
const agent = (name: string, title: string, settings: Body | null = {}, more: Body = {}) =>
  server.call('POST', '/agents', {
    name,
    title,
    procedural_memory: settings && { enabled: true, ...settings },
    ...more,
  });

/** One's own skills of this name, as the API lists them. */
async function own(who: Someone, name: string) {
  const { items } = await server.call(
    'GET',
    `/skills?name=${name.replaceAll('_', '-')}`,
    undefined,
    who.token,
  );
  return items;
}

const row = (page: Page, name: string) => page.locator('article').filter({ hasText: name });

async function library(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Library' }).first().click();
  await page.getByRole('searchbox').waitFor();
  await settle(page);
}

test('T1: an agent without procedural memory runs code as before, and nothing is about skills', async () => {
  const tess = await server.person('tess', ['member'], 'Tess Holm');
  await agent('t1-plain', 'Plain runner', null);
  const { page, leave } = await visit(server, tess.token);
  await begin(page, /^Plain runner/);
  await page.getByText('agent is off', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: /^\/(search|skills)/ }).count()).toBe(0);
  await say(page, FACTORIAL);
  const ran = lastCard(page, 'Ran code');
  await ran.getByLabel('Result').getByText('3628800', { exact: true }).waitFor();
  expect(await ran.getByRole('button', { name: 'Save as a skill' }).count()).toBe(0);
  const help = page.getByRole('region', { name: 'Commands' });
  for (const command of [`/search ${NAME}`, `/use ${NAME}`, `/save ${NAME} ${DESCRIPTION}`, '/skills']) {
    await say(page, '/help');
    await help.waitFor();
    await say(page, command);
    await page.getByRole('alert').filter({ hasText: 'agent is off' }).waitFor();
    await help.waitFor({ state: 'detached' });
    await expect.poll(async () => (await box(page).inputValue()).trim()).toBe(command);
  }
  // None of them was run.
  const { entry_count } = await server.call('GET', page.url().replace(/^.*\/conversations/, '/sessions'));
  expect(entry_count).toBe(2);
  expect(await page.getByRole('region', { name: /^Skill |^Searched|^Saved|^Used/ }).count()).toBe(0);
  await look(page, 't1-no-memory');
  expect((await server.call('GET', '/skills', undefined, tess.token)).items).toEqual([]);
  await leave();
});

test('T2: the six settings are saved in the editor, and are there after a reload', async () => {
  const { id } = await agent('t2-planner', 'Savings planner', null);
  const { page, leave } = await visit(server);
  await page.goto('/agents');
  await page.getByRole('link', { name: /Savings planner/ }).click();
  await page.getByRole('tab', { name: 'Memory' }).click();
  const enabled = page.getByLabel('Procedural memory');
  const search = page.getByLabel('Search before writing code');
  const register = page.getByLabel('Save working code as a skill');
  const approval = page.getByLabel('Ask for approval');
  const most = page.getByLabel('Most skills a person may have');
  const threshold = page.getByRole('slider', { name: 'Similarity from which a found skill is used' });
  const read = async () => (await server.call('GET', `/agents/${id}`)).procedural_memory;

  await enabled.click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectNotice(page, 'Saved');
  const { approver, proposal_mode, ...defaults } = await read();
  expect(defaults).toEqual({
    enabled: true,
    auto_register_skills: true,
    require_skill_approval: false,
    max_skills_per_user: 0,
    skill_search_threshold: 0.8,
    prefer_skills: true,
  });

  for (const one of [search, register, approval]) await one.click();
  await most.fill('25');
  for (let press = 0; press < 5; press++) await threshold.press('ArrowRight');
  await page.keyboard.press('Control+s');
  const others = {
    enabled: true,
    auto_register_skills: false,
    require_skill_approval: true,
    max_skills_per_user: 25,
    skill_search_threshold: 0.85,
    prefer_skills: false,
  };
  await expect.poll(read).toEqual({ ...others, approver, proposal_mode });
  await page.reload();
  await settle(page);
  expect({
    enabled: await enabled.isChecked(),
    auto_register_skills: await register.isChecked(),
    require_skill_approval: await approval.isChecked(),
    max_skills_per_user: Number(await most.inputValue()),
    skill_search_threshold: Number(await threshold.getAttribute('aria-valuenow')),
    prefer_skills: await search.isChecked(),
  }).toEqual(others);
  await leave();
});

test('T3: code that works is saved as a skill, shown on a card, reviewed and listed', async () => {
  const alice = await server.person('alice3', ['member'], 'Alice Bern');
  await agent('t3-analyst', 'Third analyst');
  const { page, leave } = await visit(server, alice.token);
  await begin(page, 'Third analyst');
  await say(page, `${COMPOUND}\n${NAME}(1000, 0.05, 10)`);
  const ran = lastCard(page, 'Ran code');
  await ran
    .getByLabel('Result')
    .getByText(/^1647\.0/)
    .waitFor();
  await ran.getByRole('button', { name: 'Save as a skill' }).click();
  const form = page.getByRole('dialog', { name: 'Save as a skill' });
  await form.getByLabel('Name').fill(NAME);
  await form.getByLabel('Description').fill(DESCRIPTION);
  await form.getByRole('button', { name: 'Save skill' }).click();
  await lastCard(page, `Skill Saved: ${NAME}`).waitFor();
  await look(page, 't3-saved');

  const modal = await review(page, NAME);
  await modal.getByText(DESCRIPTION).first().waitFor();
  await modal.getByText('Status: Active', { exact: true }).waitFor();
  await modal.getByLabel('Code of compound-interest-calculator').getByText('def').first().waitFor();
  for (const parameter of ['principal', 'rate', 'time', 'frequency'])
    await modal.getByRole('row', { name: new RegExp(`^${parameter} `) }).waitFor();
  await modal.getByRole('button', { name: 'Reject' }).waitFor();
  // What is active is kept by approving it.
  await modal.getByRole('button', { name: 'Approve' }).click();
  await expectNotice(page, 'Skill approved and ready to use');

  await library(page);
  await row(page, NAME).getByText(DESCRIPTION).waitFor();
  const [skill, ...more] = await own(alice, NAME);
  expect(more).toEqual([]);
  expect(skill).toMatchObject({ status: 'active', revision: 1, scope: { kind: 'agent_user' } });
  await leave();
});

test('T4: a skill is found by what it is for, and by nobody else', async () => {
  const alice = await server.person('alice4', ['member'], 'Alice Basel');
  const bob = await server.person('bob4', ['member'], 'Bob Basel');
  await agent('t4-analyst', 'Fourth analyst');
  const { page, leave } = await visit(server, alice.token);
  await begin(page, 'Fourth analyst');
  await saveSkill(page, NAME, DESCRIPTION, COMPOUND);
  await finds(page, 'interest calculation', [NAME]);
  const found = lastCard(page, 'Searched for “interest calculation”');
  const score = (await found.getByText(/^\d+%$/).textContent())?.replace('%', '');
  expect(Number(score)).toBeGreaterThanOrEqual(70);
  expect(Number(score)).toBeLessThanOrEqual(100);
  await finds(page, 'image processing', []);

  await library(page);
  await page.getByRole('searchbox').fill('interest calculation');
  await page.getByRole('list', { name: 'Skills that fit' }).waitFor();
  expect(await row(page, NAME).getByRole('progressbar').getAttribute('aria-label')).toBe(`${score}% similar`);
  await page.getByRole('searchbox').fill('image processing');
  await page.getByText('Nothing fits').waitFor();
  await leave();

  const other = await visit(server, bob.token);
  await begin(other.page, 'Fourth analyst');
  await finds(other.page, 'interest calculation', []);
  await other.page.goto('/skills?q=interest+calculation');
  await other.page.getByText('Nothing fits').waitFor();
  await other.leave();
});

test('T5: a skill is used with values, shown on a card and counted', async () => {
  const alice = await server.person('alice5', ['member'], 'Alice Chur');
  await agent('t5-analyst', 'Fifth analyst');
  const { page, leave } = await visit(server, alice.token);
  await begin(page, 'Fifth analyst');
  await saveSkill(page, NAME, DESCRIPTION, COMPOUND);
  const count = async () => (await own(alice, NAME))[0].statistics.execution_count;
  expect(await count()).toBe(0);
  await say(page, `/use ${NAME} ${AMOUNTS}`);
  const result = lastCard(page, `Used ${NAME}`).getByLabel('Result');
  expect(Number(await result.textContent())).toBeCloseTo(1647.01, 2);
  const used = lastCard(page, `Skill Used: ${NAME}`);
  await used.getByRole('img', { name: 'Lightning' }).waitFor();
  expect(await count()).toBe(1);
  await used.getByRole('button', { name: 'View Code' }).click();
  const modal = page.getByRole('dialog', { name: NAME, exact: true });
  await modal.getByText('Status: Active | Used 1 time | 100% success rate', { exact: true }).waitFor();
  await look(page, 't5-used');
  await modal.getByRole('button', { name: 'Keep Skill' }).click();
  await expectNotice(page, 'Skill will continue to be used');
  await library(page);
  await row(page, NAME).getByText('1 use', { exact: true }).waitFor();
  await leave();
});

test('T6: where approval is demanded a skill waits for it, and is used after it', async () => {
  const alice = await server.person('alice6', ['member'], 'Alice Davos');
  await agent('t6-careful', 'Careful agent', { require_skill_approval: true });
  const { page, leave } = await visit(server, alice.token);
  await begin(page, 'Careful agent');
  const name = 'pending_test_skill';
  await saveSkill(page, name, 'Prints a greeting.', HELLO);
  await lastCard(page, `Saved ${name}`).getByText('pending approval', { exact: false }).waitFor();
  await say(page, `/use ${name}`);
  await lastCard(page, `Tried ${name}`).getByText('PendingApproval', { exact: false }).first().waitFor();
  expect(await page.getByRole('region', { name: `Skill Used: ${name}` }).count()).toBe(0);
  await finds(page, 'print a greeting', []);
  const modal = await review(page, name);
  await modal.getByText('Status: Pending approval', { exact: true }).waitFor();
  await modal.getByRole('button', { name: 'Approve' }).click();
  await expectNotice(page, 'Skill approved and ready to use');
  expect((await own(alice, name))[0].status).toBe('active');
  await say(page, `/use ${name}`);
  await lastCard(page, `Used ${name}`).getByLabel('Printed').getByText('Hello World').waitFor();
  await lastCard(page, `Skill Used: ${name}`).waitFor();
  await leave();
});

test('T7: a rejected skill is gone, whether a person rejects it or the API deletes it', async () => {
  const alice = await server.person('alice7', ['member'], 'Alice Egg');
  await agent('t7-analyst', 'Seventh analyst');
  const { page, leave } = await visit(server, alice.token);
  await begin(page, 'Seventh analyst');
  await saveSkill(page, 'reject_test', 'Prints a greeting.', HELLO);
  await saveSkill(page, 'delete_test', 'Prints another greeting.', "print('Hello again')");
  const modal = await review(page, 'reject_test');
  await modal.getByRole('button', { name: 'Reject' }).click();
  const question = page.getByRole('dialog', { name: 'Reject “reject_test”?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await own(alice, 'reject_test')).toHaveLength(1);
  await modal.getByRole('button', { name: 'Reject' }).click();
  await question.getByRole('button', { name: 'Reject' }).click();
  await page
    .locator('.mantine-Notification-root')
    .getByText('Skill rejected and removed', { exact: true })
    .waitFor();
  expect(await own(alice, 'reject_test')).toEqual([]);
  await say(page, '/use reject_test');
  await lastCard(page, 'Tried reject_test').getByText("There is no skill named 'reject_test'.").waitFor();

  await library(page);
  await row(page, 'delete_test').waitFor();
  expect(await row(page, 'reject_test').count()).toBe(0);
  const [{ id }] = await own(alice, 'delete_test');
  expect((await server.call('DELETE', `/skills/${id}`, undefined, alice.token)).deleted).toBe(true);
  // The page hears of it by itself.
  await row(page, 'delete_test').waitFor({ state: 'detached' });
  await leave();
});

test('T8: a skill belongs to one person on one agent, and another may have their own of its name', async () => {
  const alice = await server.person('alice8', ['member'], 'Alice Flims');
  const bob = await server.person('bob8', ['member'], 'Bob Flims');
  const first = await agent('t8-agent-1', 'First of eight');
  await agent('t8-agent-2', 'Second of eight');
  const a = await visit(server, alice.token);
  const b = await visit(server, bob.token);
  await begin(a.page, 'First of eight');
  await saveSkill(a.page, NAME, DESCRIPTION, COMPOUND);
  await finds(a.page, 'interest calculation', [NAME]);
  const conversation = new URL(a.page.url()).pathname;
  const nothing = async (page: Page, which: string) => {
    await begin(page, which);
    await finds(page, 'interest calculation', []);
    await say(page, `/use ${NAME} ${AMOUNTS}`);
    await lastCard(page, `Tried ${NAME}`).getByText(`There is no skill named '${NAME}'.`).waitFor();
  };
  await nothing(a.page, 'Second of eight');
  await nothing(b.page, 'First of eight');

  await saveSkill(
    b.page,
    NAME,
    DESCRIPTION,
    `def ${NAME}(principal, rate, time, frequency=1):\n    return 'of bob'\n`,
  );
  await say(b.page, `/use ${NAME} ${AMOUNTS}`);
  await lastCard(b.page, `Used ${NAME}`).getByLabel('Result').getByText('of bob').waitFor();
  await a.page.goto(conversation);
  await say(a.page, `/use ${NAME} ${AMOUNTS}`);
  const result = lastCard(a.page, `Used ${NAME}`).getByLabel('Result');
  expect(Number(await result.textContent())).toBeCloseTo(1647.01, 2);
  await a.leave();
  await b.leave();

  // The admin sees both, each with whose it is.
  const admin = await visit(server);
  await admin.page.goto(`/skills?agent=${first.id}`);
  await row(admin.page, NAME).filter({ hasText: 'Alice Flims' }).waitFor();
  await row(admin.page, NAME).filter({ hasText: 'Bob Flims' }).waitFor();
  expect(await row(admin.page, NAME).count()).toBe(2);
  await look(admin.page, 't8-both');
  await admin.leave();
});

describe('T9: the pages of a skill', () => {
  let alice: Someone;

  beforeAll(async () => {
    alice = await server.person('alice9', ['member'], 'Alice Glarus');
    await agent('t9-agent-1', 'First of nine');
    await agent('t9-agent-2', 'Second of nine', { require_skill_approval: true });
    for (const [name, code] of [
      ['first_skill', 'agent-1'],
      ['second_skill', 'agent-2'],
    ] as const) {
      const answer = await fetch(`${server.url}/api/v1/interpreter`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${alice.token}`,
          'Content-Type': 'application/json',
          'Repertoire-Agent': `t9-${code}`,
        },
        body: JSON.stringify({
          operation: 'register_skill',
          skill_name: name,
          skill_description: 'Prints a greeting.',
          code: HELLO,
        }),
      });
      expect((await answer.json()).failed).toBe(false);
    }
  });

  test('another person gets no look at it', async () => {
    const bob = await server.person('bob9', ['member'], 'Bob Glarus');
    const [{ id }] = await own(alice, 'first_skill');
    const { page, leave } = await visit(server, bob.token);
    await page.goto(`/skills/${id}`);
    await page.getByText('This skill is not here').waitFor();
    await page.getByText('belongs to somebody else', { exact: false }).waitFor();
    expect(await page.getByText(/first.skill/).count()).toBe(0);
    for (const [method, path] of [
      ['GET', `/skills/${id}`],
      ['DELETE', `/skills/${id}`],
      ['POST', `/skills/${id}/approve`],
    ] as const)
      await expect(server.call(method, path, method === 'POST' ? {} : undefined, bob.token)).rejects.toThrow(
        /: 40[34] /,
      );
    expect(await own(alice, 'first_skill')).toHaveLength(1);
    await leave();
  });

  test('its owner lists, filters, opens, approves and deletes it', async () => {
    const { page, leave } = await visit(server, alice.token);
    await page.goto('/skills');
    await row(page, 'first_skill').waitFor();
    await row(page, 'second_skill').getByText('Pending approval').waitFor();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'Second of nine' }).click();
    await page.keyboard.press('Escape');
    await row(page, 'first_skill').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'second_skill' }).click();
    await page.getByRole('heading', { name: 'second_skill', level: 1 }).waitFor();
    await page.getByText('Waits for approval').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await expectNotice(page, 'Approved');
    expect((await own(alice, 'second_skill'))[0].status).toBe('active');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: /^Delete/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expectNotice(page, 'second_skill is deleted');
    await page.waitForURL('**/skills');
    await row(page, 'first_skill').waitFor();
    await row(page, 'second_skill').waitFor({ state: 'detached' });
    expect(await own(alice, 'second_skill')).toEqual([]);
    await leave();
  });
});

describe('T10: what goes wrong is told, and breaks nothing', () => {
  let alice: Someone;

  beforeAll(async () => {
    alice = await server.person('alice10', ['member'], 'Alice Horgen');
    await agent('t10-hasty', 'Hasty agent', {}, { run_limits: { wall_ms: 1000 } });
    await agent('t10-analyst', 'Tenth analyst');
  });

  test('a skill that is not there, and code that is no Python', async () => {
    const { page, leave } = await visit(server, alice.token);
    await begin(page, 'Tenth analyst');
    await say(page, '/use nonexistent_skill_12345');
    const used = lastCard(page, 'Tried nonexistent_skill_12345');
    await used.getByRole('alert').getByText("There is no skill named 'nonexistent_skill_12345'.").waitFor();
    const invalid = 'this is not valid python code {{{';
    await say(page, `/save broken Is broken.\n${invalid}`);
    const broken = lastCard(page, 'Could not save broken');
    await broken.getByText('It failed in line 1').waitFor();
    expect(await page.getByRole('region', { name: /^Skill Saved/ }).count()).toBe(0);
    expect(await own(alice, 'broken')).toEqual([]);
    // What was written comes back, to be mended.
    await broken.getByRole('button', { name: 'Edit and send again' }).click();
    expect(await box(page).inputValue()).toBe(`/save broken Is broken.\n${invalid}`);
    await leave();
  });

  test('a name that is taken makes a new version, and the same code none', async () => {
    const { page, leave } = await visit(server, alice.token);
    await begin(page, 'Tenth analyst');
    const saved = lastCard(page, 'Saved duplicate_test');
    const name = 'duplicate_test';
    await saveSkill(page, name, 'Counts.', 'print(1)');
    await say(page, `/save ${name} Counts.\nprint(2)`);
    await saved.getByText('version 2', { exact: false }).waitFor();
    await say(page, `/save ${name} Counts.\nprint(2)`);
    await expect.poll(() => page.getByRole('region', { name: `Saved ${name}`, exact: true }).count()).toBe(3);
    const [skill, ...more] = await own(alice, name);
    expect([skill.revision, more]).toEqual([2, []]);
    await library(page);
    await row(page, name).first().waitFor();
    expect(await row(page, name).count()).toBe(1);
    await leave();
  });

  test('an endless loop ends at the limit, as code and as a skill, and the next request works', async () => {
    const { page, leave } = await visit(server, alice.token);
    await begin(page, 'Hasty agent');
    const endless = 'while True: pass';
    await say(page, endless);
    await lastCard(page, 'Ran code').getByRole('alert').getByText(TIME_LIMIT).waitFor();
    await saveSkill(page, 'endless', 'Never ends.', endless);
    await say(page, '/use endless');
    await lastCard(page, 'Tried endless').getByRole('alert').getByText(TIME_LIMIT).waitFor();
    const [{ statistics }] = await own(alice, 'endless');
    expect(statistics).toMatchObject({ execution_count: 1, success_rate: 0 });
    await say(page, FACTORIAL);
    await lastCard(page, 'Ran code').getByLabel('Result').getByText('3628800', { exact: true }).waitFor();
    await leave();
  });

  test('a server that is down is said to be, and nothing that was typed is lost', async () => {
    const { page, leave } = await visit(server, alice.token);
    await begin(page, 'Tenth analyst');
    const away = page.getByRole('alert').filter({ hasText: 'What you see may be old' });
    await box(page).fill(FACTORIAL);
    await server.stop();
    try {
      await box(page).press('Enter');
      const sent = page.getByRole('region', { name: 'Sent' });
      await sent.getByText('No connection').waitFor();
      await away.waitFor();
      await sent.getByRole('button', { name: 'Put it back into the box' }).click();
      expect(await box(page).inputValue()).toBe(FACTORIAL);
      await look(page, 't10-down');
    } finally {
      await server.restart();
    }
    await away.waitFor({ state: 'detached' });
    await page.reload();
    expect(await box(page).inputValue()).toBe(FACTORIAL);
    await box(page).press('Enter');
    await lastCard(page, 'Ran code').getByLabel('Result').getByText('3628800', { exact: true }).waitFor();
    await leave();
  });
});
