/** Part 6 as a person does it: which policies hold, why something was denied, and what would be decided. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, look, settle, visit } from './browser';
import { Server } from './server';

let server: Server;
let careful: { id: string };
let agent: { id: string };
let writer: { id: string };
let denied: { decision_id: string };

beforeAll(async () => {
  server = await Server.start();
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

/** Two policies, an agent, and a run in which it asked for more than it may. */
async function seed() {
  agent = await server.call('POST', '/agents', { name: 'coder', title: 'Coder' });
  writer = await server.call('POST', '/agents', { name: 'writer', title: 'Writer' });
  const made = await server.call('POST', '/skills', {
    name: 'careful-coder',
    title: 'Careful coder',
    description: 'Keeps coding agents away from secrets and from removing files.',
    instructions: 'Move files to trash/ instead of removing them.',
    policy: {
      scope: 'security',
      priority: 100,
      always: true,
      forbidden_tools: ['Bash(rm:*)', 'Read(.env)'],
      max_steps: 200,
      planning: 'Do not remove files; move them to trash/ instead.',
      context: { review_required: true },
    },
  });
  careful = made.skill;
  await server.call('POST', '/skills', {
    name: 'production-freeze',
    title: 'Production freeze',
    description: 'While production is touched, only reading is allowed.',
    instructions: 'Ask the release manager.',
    scope: 'agent',
    agent: 'coder',
    policy: {
      priority: 50,
      keywords: ['production'],
      allowed_tools: ['Read', 'Grep'],
      max_execution_seconds: 900,
    },
  });
  const { run } = await server.call('POST', '/governance/runs', {
    task: 'Tidy up the build folder',
    agent: 'coder',
    host: 'claude',
    context: { environment: 'test', cwd: '/srv/shop' },
  });
  const ask = (tool: string, args: object) =>
    server.call('POST', `/governance/runs/${run.id}/judge`, { tool, arguments: args });
  await ask('Bash', { command: 'ls -l build' });
  denied = await ask('Bash', { command: 'rm -rf build' });
  await ask('Read', { file_path: '/srv/shop/.env' });
  await ask('Edit', { file_path: '/srv/shop/src/main.rs' });
}

test('without a policy the page teaches what one is', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/governance');
  await page.getByText('No policy is in force here').waitFor();
  await page.getByText('Until then every call is allowed').waitFor();
  await look(page, 'governance-empty');
  await page.getByRole('tab', { name: 'Decisions' }).click();
  await page.getByText('Nothing was decided yet').waitFor();
  await leave();
  await seed();
});

test('the policies in force are listed with their reach, and differ by agent', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/governance');
  await page.getByRole('link', { name: 'Careful coder' }).waitFor();
  await page.getByRole('link', { name: 'Production freeze' }).waitFor();
  await page.goto(`/governance?agent=${writer.id}`);
  await page.getByRole('link', { name: 'Careful coder' }).waitFor();
  expect(await page.getByText('Production freeze').count()).toBe(0);
  await page.getByRole('combobox', { name: 'As this agent meets them' }).click();
  await page.getByRole('option', { name: 'Coder' }).click();
  await page.getByRole('link', { name: 'Production freeze' }).waitFor();
  expect(new URL(page.url()).searchParams.get('agent')).toBe(agent.id);
  await page.getByText('Active whatever the task').waitFor();
  await page.getByText('Active when its conditions are met').waitFor();
  await look(page, 'governance-policies');
  await page.getByRole('link', { name: 'Careful coder' }).click();
  await page.waitForURL(`**/skills/${careful.id}/policy`);
  await leave();
});

test('the log is filtered, and says why something was denied', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/governance/decisions');
  const rows = page.getByRole('list', { name: 'Decisions' }).getByRole('listitem');
  await rows.first().waitFor();
  const all = await rows.count();
  expect(all).toBeGreaterThanOrEqual(4);
  await look(page, 'governance-decisions');

  await page.getByRole('combobox', { name: 'Verdict' }).click();
  await page.getByRole('option', { name: 'Denied' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByLabel('Tool').fill('Bash');
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('tool')).toBe('Bash');

  await rows.first().getByRole('button').click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Why was this denied').waitFor();
  await drawer.getByText("Tool 'Bash' is forbidden by Skill(s): careful-coder").waitFor();
  await drawer.getByText('rm -rf build').waitFor();
  await drawer.getByText('Governed run').waitFor();
  expect(new URL(page.url()).searchParams.get('decision')).toBe(denied.decision_id);
  const link = drawer.getByRole('link', { name: 'careful-coder' }).first();
  expect(await link.getAttribute('href')).toBe(`/skills/${careful.id}/policy`);
  await look(page, 'governance-why');

  await page.reload();
  await drawer.getByText('Why was this denied').waitFor();
  await drawer.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(() => rows.count()).toBe(all);
  await leave();
});

test('a decision is asked again on the bench', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/governance/decisions?decision=${denied.decision_id}`);
  await page.getByRole('link', { name: 'Ask again on the test bench' }).click();
  await page.getByText('Bash would be denied').waitFor();
  expect(await page.getByLabel('Task').inputValue()).toBe('Tidy up the build folder');
  expect(JSON.parse(await page.getByRole('textbox', { name: 'Context' }).inputValue())).toMatchObject({
    environment: 'test',
  });
  expect(JSON.parse(await page.getByLabel('Arguments').inputValue())).toEqual({ command: 'rm -rf build' });
  await leave();
});

test('the bench says what would be decided, with reasons, and keeps nothing', async () => {
  const before = await server.call('GET', '/governance/decisions?limit=200');
  const { page, leave } = await visit(server);
  await page.goto('/governance/bench');
  await page.getByText('Ask what would be decided').waitFor();
  await look(page, 'governance-bench-empty');

  await page.getByRole('button', { name: 'Deploy to production' }).click();
  await page.getByText('Bash would be allowed').waitFor();
  await page.getByRole('combobox', { name: 'Agent' }).click();
  await page.getByRole('option', { name: 'Coder' }).click();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByText('Bash would be denied').waitFor();
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('Not on the list').waitFor();
  await answer.getByText('Final constraints:').waitFor();
  await answer.getByText('Do not remove files').waitFor();
  await look(page, 'governance-bench');

  await page.getByLabel('Arguments').fill('{"command": ');
  await page.getByText('Not JSON').waitFor();
  expect(await page.getByRole('button', { name: 'Ask', exact: true }).isDisabled()).toBe(true);

  await page.getByLabel('Arguments').fill('{}');
  await page.getByLabel('Tool').fill('Grep');
  await page.keyboard.press('Enter');
  await page.getByText('Grep would be allowed').waitFor();
  await page.reload();
  await page.getByText('Grep would be allowed').waitFor();
  await settle(page);
  const after = await server.call('GET', '/governance/decisions?limit=200');
  expect(after.items.length).toBe(before.items.length);
  await leave();
});

test('a member sees their own decisions, and asks for nobody else', async () => {
  const ada = await server.person('ada', ['member'], 'Ada Byron');
  await server.call('POST', '/governance/judge', { task: 'look around', tool: 'LS' }, ada.token);
  const { page, leave } = await visit(server, ada.token);
  await page.goto('/governance/decisions');
  const rows = page.getByRole('list', { name: 'Decisions' }).getByRole('listitem');
  await rows.first().waitFor();
  expect(await rows.count()).toBe(1);
  expect(await page.getByLabel('Person').count()).toBe(0);
  await page.getByRole('tab', { name: 'Test bench' }).click();
  await page.getByLabel('Task').waitFor();
  expect(await page.getByRole('combobox', { name: 'For', exact: true }).count()).toBe(0);
  await leave();
});
