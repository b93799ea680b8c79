import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, phone, settle, visit } from './browser';
import { seedFew } from './seeds';
import { Server } from './server';

let server: Server;
let skills: Record<string, string>;

beforeAll(async () => {
  server = await Server.start();
  skills = await seedFew(server);
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

const make = (name: string, more: Record<string, unknown> = {}) =>
  server.call('POST', '/agents', {
    name,
    title: name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' '),
    description: 'Cuts releases and writes the notes',
    ...more,
  });

async function save(page: Page) {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectNotice(page, 'Saved');
}

test('the first agent is made from an empty list that teaches', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/agents');
  await page.getByText('No agents yet').waitFor();
  await look(page, 'agents-empty');
  await page.getByRole('link', { name: 'New agent' }).click();
  await page.getByLabel('Title').fill('Support Desk: Tier 2');
  expect(await page.getByLabel('Name').inputValue()).toBe('support-desk-tier-2');
  await page.getByLabel('Description').fill('Answers what the first line could not');
  await look(page, 'agents-new');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.getByRole('heading', { name: 'Support Desk: Tier 2', level: 1 }).waitFor();
  const { items } = await server.call('GET', '/agents?name=support-desk-tier-2');
  expect(items[0].procedural_memory.enabled).toBe(true);
  await leave();
});

test('a name that is taken is said at its field', async () => {
  await make('taken-bot');
  const { page, leave } = await visit(server);
  await page.goto('/agents/new');
  await page.getByLabel('Name').fill('taken-bot');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.getByText('There is an agent `taken-bot` already').waitFor();
  expect(new URL(page.url()).pathname).toBe('/agents/new');
  await leave();
});

test('every memory setting is changed, and saved with the keyboard', async () => {
  const agent = await make('memory-bot', { procedural_memory: null });
  const { page, leave } = await visit(server);
  await page.goto(`/agents/${agent.id}?tab=memory`);
  await page.getByText('nothing about skills appears').waitFor();
  expect(await page.getByLabel('Ask for approval').isDisabled()).toBe(true);
  await page.getByLabel('Procedural memory').click();
  await page.getByLabel('Search before writing code').click();
  await page.getByLabel('Save working code as a skill').click();
  await page.getByLabel('Ask for approval').click();
  await page.getByLabel('Two people').click();
  await page.getByLabel('Most skills a person may have').fill('25');
  await page.getByLabel('On request').click();
  const slider = page.getByRole('slider', { name: 'Similarity from which a found skill is used' });
  for (let press = 0; press < 15; press += 1) await slider.press('ArrowRight');
  await page.getByText('Very strict').waitFor();
  await look(page, 'agent-memory');
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved');
  const now = await server.call('GET', `/agents/${agent.id}`);
  expect(now.procedural_memory).toEqual({
    enabled: true,
    auto_register_skills: false,
    require_skill_approval: true,
    max_skills_per_user: 25,
    skill_search_threshold: 0.95,
    prefer_skills: false,
    approver: 'two_person',
    proposal_mode: 'on_request',
  });
  await leave();
});

test('discovery, toolsets and run limits are set, in units people use', async () => {
  const agent = await make('discovery-bot');
  const { page, leave } = await visit(server);
  await page.goto(`/agents/${agent.id}?tab=discovery`);
  await page.getByRole('radio', { name: 'Hybrid' }).click();
  await page.getByLabel('Token budget').fill('3500');
  await page.getByRole('checkbox', { name: 'Memory' }).click();
  await page.getByRole('checkbox', { name: 'Learning' }).click();
  await page.getByLabel('Time', { exact: true }).fill('2.5');
  await page.getByLabel('Memory', { exact: true }).last().fill('256');
  await look(page, 'agent-discovery');
  await save(page);
  const now = await server.call('GET', `/agents/${agent.id}`);
  expect(now).toMatchObject({
    discovery: 'hybrid',
    discovery_token_budget: 3500,
    toolsets: ['memory', 'learning'],
    run_limits: { wall_ms: 2500, memory_bytes: 256_000_000 },
  });
  await leave();
});

test('skills are assigned, ordered by keyboard, pinned and taken away', async () => {
  await server.call('PATCH', `/skills/${skills['rotate-keys']}`, {
    description: 'Rotates the signing keys of a service without downtime, and says when it is done.',
  });
  const agent = await make('skills-bot');
  const { page, leave } = await visit(server);
  await page.goto(`/agents/${agent.id}?tab=skills`);
  await page
    .getByText(
      'Skills are synced to providers via the Skills section. Only synced skills will be available at runtime.',
      { exact: true },
    )
    .waitFor();
  for (const [words, title] of [
    ['release', 'Release notes'],
    ['keys', 'Rotate keys'],
    ['invoice', 'Invoice totals'],
  ]) {
    await page.getByLabel('Add a skill').fill(words ?? '');
    await page.getByRole('option', { name: title }).click();
  }
  const list = page.getByRole('list', { name: 'Assigned skills' });
  await list.getByRole('link', { name: 'Invoice totals' }).waitFor();
  await page.getByRole('button', { name: 'Move Invoice totals up' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  expect(await list.getByRole('link').allInnerTexts()).toEqual([
    'Invoice totals',
    'Release notes',
    'Rotate keys',
  ]);
  await page.getByRole('combobox', { name: 'Revision of Rotate keys' }).click();
  await page.getByRole('option', { name: 'Revision 1,' }).click();
  await page.getByRole('button', { name: 'Remove Release notes' }).click();
  await look(page, 'agent-skills');
  await save(page);
  const now = await server.call('GET', `/agents/${agent.id}`);
  expect(now.skills).toEqual([
    { skill_id: skills['invoice-totals'], pin: null },
    { skill_id: skills['rotate-keys'], pin: 1 },
  ]);
  await leave();
});

test('a skill is dragged to another place', async () => {
  const agent = await make('drag-bot', {
    skills: [{ skill_id: skills['release-notes'] }, { skill_id: skills['rotate-keys'] }],
  });
  const { page, leave } = await visit(server);
  await page.goto(`/agents/${agent.id}?tab=skills`);
  const rows = page.getByRole('list', { name: 'Assigned skills' }).getByRole('listitem');
  await rows.filter({ hasText: 'Rotate keys' }).waitFor();
  await rows.nth(1).dragTo(rows.nth(0));
  await save(page);
  const now = await server.call('GET', `/agents/${agent.id}`);
  expect(now.skills.map((skill: { skill_id: string }) => skill.skill_id)).toEqual([
    skills['rotate-keys'],
    skills['release-notes'],
  ]);
  await leave();
});

test('the context shows what the model sees, and follows request, budget and format', async () => {
  const agent = await make('context-bot', {
    procedural_memory: { enabled: true },
    skills: [{ skill_id: skills['invoice-totals'] }],
  });
  const { page, leave } = await visit(server);
  await page.goto(`/agents/${agent.id}?tab=context`);
  const heading = page.getByRole('heading', { name: /^This is what the model sees: [\d,]+ tokens$/ });
  await heading.waitFor();
  const shown = page.getByRole('region', { name: 'What the model sees' });
  const whole = await server.call('GET', `/agents/${agent.id}/context`);
  expect(await shown.textContent()).toBe(whole.text.trimEnd());
  expect(await heading.textContent()).toContain(whole.tokens.toLocaleString('en'));
  await look(page, 'agent-context');
  await page.getByLabel('Token budget').fill('60');
  await page.getByText('no room for procedural memory').waitFor();
  await page.getByLabel('Token budget').fill('');
  await page.getByRole('combobox', { name: 'Format' }).click();
  await page.getByRole('option', { name: 'XML' }).click();
  await shown.getByText('<available_skills>').or(shown.getByText('<skill')).first().waitFor();
  await page.getByLabel('Request').fill('check the total of an invoice');
  await shown.getByText('invoice-totals').first().waitFor();
  await leave();
});

test('the way to connect a host names this agent', async () => {
  const agent = await make('connect-bot');
  const { page, leave } = await visit(server);
  await page.goto(`/agents/${agent.id}?tab=connect`);
  await page.getByText('repertoire connect claude-code --agent connect-bot', { exact: true }).waitFor();
  await page.getByText(`${server.url}/mcp?agent=connect-bot`, { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Host' }).click();
  await page.getByRole('option', { name: 'Codex' }).click();
  await page.getByText('repertoire connect codex --agent connect-bot', { exact: true }).waitFor();
  await look(page, 'agent-connect');
  await page.getByRole('link', { name: 'Create a token for this agent' }).click();
  await page.getByRole('dialog').getByText('Create a token').waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[role=dialog] input')].some(
      (input) => (input as HTMLInputElement).value === 'Connect bot',
    ),
  );
  await leave();
});

test('what somebody else saved is told, and neither side is lost', async () => {
  const agent = await make('stale-bot');
  const { page, leave } = await visit(server);
  await page.goto(`/agents/${agent.id}`);
  await page.getByLabel('Title').fill('My title');
  await server.call('PUT', `/agents/${agent.id}`, {
    name: 'stale-bot',
    title: 'Their title',
    description: 'Their description',
  });
  await page.keyboard.press('Control+s');
  await page.getByText('Somebody else changed this agent').waitFor();
  await page.getByText('They changed: title, description.').waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('My title');
  await look(page, 'agent-stale');
  await page.getByRole('button', { name: 'Keep my changes, take the rest' }).click();
  await save(page);
  expect(await server.call('GET', `/agents/${agent.id}`)).toMatchObject({
    title: 'My title',
    description: 'Their description',
  });
  await leave();
});

test('what somebody else saves shows at once where nothing was typed', async () => {
  const agent = await make('live-bot');
  const { page, leave } = await visit(server);
  await page.goto(`/agents/${agent.id}`);
  await page.getByRole('status', { name: 'live' }).waitFor();
  await server.call('PUT', `/agents/${agent.id}`, { name: 'live-bot', title: 'Renamed elsewhere' });
  await page.getByRole('heading', { name: 'Renamed elsewhere', level: 1 }).waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Renamed elsewhere');
  await leave();
});

test('nobody leaves an unsaved agent without being asked', async () => {
  const agent = await make('guard-bot');
  const { page, leave } = await visit(server);
  await page.goto(`/agents/${agent.id}`);
  await page.getByLabel('Description').fill('half a sentence');
  await page.getByRole('tab', { name: 'Memory' }).click();
  await page.getByRole('tab', { name: 'Info' }).click();
  expect(await page.getByLabel('Description').inputValue()).toBe('half a sentence');
  await page.getByRole('link', { name: 'Library' }).click();
  await page.getByRole('dialog').getByText('Leave without saving?').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(new URL(page.url()).pathname).toBe(`/agents/${agent.id}`);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('link', { name: 'Library' }).click();
  await page.waitForURL('**/skills');
  await leave();
});

test('an agent whose scope holds skills stays, with the reason; an empty one goes', async () => {
  const agent = await make('full-bot');
  const { skill } = await server.call('POST', '/skills', {
    name: 'own-skill',
    description: 'Belongs to the agent alone.',
    instructions: 'Keep it.',
    scope: 'agent',
    agent: agent.id,
  });
  const { page, leave } = await visit(server);
  await page.goto(`/agents/${agent.id}`);
  const remove = async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete agent' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete agent' }).click();
  };
  await remove();
  await page.getByText('Skills still live in its scope').waitFor();
  await page.getByRole('link', { name: 'See them in the library' }).waitFor();
  await look(page, 'agent-has-skills');
  await server.call('POST', `/skills/${skill.id}/promote`, { to: 'workspace' });
  await remove();
  await page.waitForURL('**/agents');
  expect((await server.call('GET', '/agents?name=full-bot')).items).toEqual([]);
  await leave();
});

test('a member looks at agents and changes nothing', async () => {
  const agent = await make('read-only-bot', { procedural_memory: { enabled: true } });
  const member = await server.person('maya', ['member'], 'Maya Lind');
  const { page, leave } = await visit(server, member.token);
  await page.goto('/agents');
  await page.getByRole('link', { name: /Read only bot/ }).waitFor();
  expect(await page.getByRole('link', { name: 'New agent' }).count()).toBe(0);
  await look(page, 'agents-list');
  await page.goto(`/agents/${agent.id}?tab=memory`);
  await page.getByText('Admins change agents; you can look.').waitFor();
  expect(await page.getByLabel('Procedural memory').isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'More', exact: true }).count()).toBe(0);
  await leave();
});

test('on a phone nothing of an agent runs over the side', async () => {
  const { items } = await server.call('GET', '/agents?name=skills-bot');
  const { page, leave } = await visit(server);
  await page.setViewportSize(phone);
  for (const tab of ['info', 'memory', 'discovery', 'skills', 'context', 'connect']) {
    await page.goto(`/agents/${items[0].id}?tab=${tab}`);
    await settle(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), tab).toBeLessThanOrEqual(390);
  }
  await leave();
});
