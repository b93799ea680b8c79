import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, phone, settle, visit } from './browser';
import { seedFew } from './seeds';
import { Server } from './server';

let server: Server;
let skills: Record<string, string>;
let agent: { id: string };

beforeAll(async () => {
  server = await Server.start();
  skills = await seedFew(server);
  agent = await server.call('POST', '/agents', {
    name: 'release-bot',
    title: 'Release bot',
    procedural_memory: { enabled: true },
  });
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

async function use(name: string, successes: number, failures: number, token?: string) {
  for (let at = 0; at < successes + failures; at += 1)
    await server.call('POST', `/skills/${skills[name]}/uses`, { success: at < successes }, token);
}

test('before the first use the page teaches how numbers come here', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/analytics');
  await page.getByText('No uses in these 30 days').waitFor();
  await page.getByRole('link', { name: 'Connect an agent' }).waitFor();
  await page.getByRole('list', { name: 'Unused skills' }).getByText('Rotate keys').waitFor();
  await look(page, 'analytics-empty');
  await leave();
});

test('uses are counted, with their success, their skills and their agents', async () => {
  const { secret } = await server.call('POST', '/tokens', {
    name: 'release bot',
    scopes: ['read', 'write'],
    agent: agent.id,
  });
  await use('release-notes', 18, 2);
  await use('triage-crash-reports', 2, 6, secret);
  const { page, leave } = await visit(server);
  await page.goto('/analytics');
  const tile = (name: string) => page.getByRole('region', { name, exact: true });
  await tile('Uses').getByText('28', { exact: true }).waitFor();
  await tile('Success rate').getByText('71%').waitFor();
  await tile('Skills used').getByText('2 of 4').waitFor();
  await page.getByRole('list', { name: 'Most used' }).getByText('20 uses, 90%').waitFor();
  await page.getByRole('list', { name: 'Lowest success' }).getByText('25% of 8 uses').waitFor();
  await page.getByRole('cell', { name: 'People, without an agent' }).waitFor();
  await page.getByRole('table').getByRole('link', { name: 'Release bot' }).click();
  await page.waitForURL((url) => url.searchParams.get('agent') === agent.id);
  await tile('Uses').getByText('8', { exact: true }).waitFor();
  await page.getByRole('list', { name: 'Most used' }).getByRole('link').click();
  await page.waitForURL(`**/skills/${skills['triage-crash-reports']}/usage`);
  await leave();
});

test('the chart is a table for those who want one', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/analytics?days=7');
  await page.locator('.recharts-surface').first().waitFor();
  await look(page, 'analytics');
  await page.getByLabel('As a table').click();
  const table = page.getByRole('group', { name: 'Use over time' });
  const rows = table.getByRole('row');
  expect(await rows.count()).toBe(8);
  expect(await rows.nth(1).getByRole('cell').allTextContents()).toEqual(['28', '20', '8']);
  await look(page, 'analytics-table');
  await leave();
});

test('the span stands in the address, and a year is shown by weeks', async () => {
  const { page, leave } = await visit(server);
  // Uses of a whole year cannot be made in a test: only the numbers of the days are filled in.
  await page.route('**/api/v1/analytics*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    body.days.forEach((day: Record<string, number>, at: number) => {
      day.uses = 20 + Math.round(12 * Math.sin(at / 9)) + (at % 7) * 3;
      day.failures = at % 11 === 0 ? 6 : 2;
      day.successes = day.uses - day.failures;
    });
    await route.fulfill({ response: answer, json: body });
  });
  await page.goto('/analytics');
  await page.getByText('A year').click();
  await page.waitForURL('**/analytics?days=365');
  await page.getByLabel('As a table').click();
  const rows = page.getByRole('group', { name: 'Use over time' }).getByRole('row');
  await rows.filter({ hasText: 'Week of' }).first().waitFor();
  expect(await rows.count()).toBe(54);
  await page.getByLabel('As a table').click();
  await page.locator('.recharts-bar-rectangle').first().waitFor();
  await look(page, 'analytics-year');
  await leave();
});

test('time saved is an estimate whose assumption is the person’s, and is kept', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/analytics');
  const tile = page.getByRole('region', { name: 'Time saved (estimate)' });
  await tile.getByText('1.7 h').waitFor();
  await page.getByLabel('Minutes a success saves').fill('12');
  await tile.getByText('4.0 h').waitFor();
  await page.reload();
  await tile.getByText('4.0 h').waitFor();
  expect(await page.getByLabel('Minutes a success saves').inputValue()).toBe('12');
  await leave();
});

test('unused skills are archived at once, and brought back with undo', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/analytics');
  const unused = page.getByRole('list', { name: 'Unused skills' });
  await unused.getByText('Rotate keys').waitFor();
  expect(await unused.getByRole('listitem').count()).toBe(2);
  await page.getByLabel('All 2').click();
  await page.getByRole('button', { name: 'Archive 2' }).click();
  await expectNotice(page, '2 skills archived');
  await page.getByText('Every active skill was used.').waitFor();
  expect((await server.call('GET', `/skills/${skills['rotate-keys']}`)).status).toBe('archived');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectNotice(page, 'Undone');
  await unused.getByText('Rotate keys').waitFor();
  for (const name of ['rotate-keys', 'invoice-totals'])
    expect((await server.call('GET', `/skills/${skills[name]}`)).status).toBe('active');
  await leave();
});

test('members are offered to archive their own skills, and no others', async () => {
  const member = await server.person('mara', ['member'], 'Mara Quist');
  await server.call(
    'POST',
    '/skills',
    {
      name: 'desk-notes',
      title: 'Desk notes',
      description: 'Keeps what Mara notes.',
      scope: 'user',
    },
    member.token,
  );
  const { page, leave } = await visit(server, member.token);
  await page.goto('/analytics');
  await page.getByRole('list', { name: 'Unused skills' }).getByText('Rotate keys').waitFor();
  await page.getByLabel('All 1 of yours').click();
  expect(await page.getByLabel('Choose Rotate keys').count()).toBe(0);
  await page.getByRole('button', { name: 'Archive 1' }).click();
  await expectNotice(page, '1 skill archived');
  await leave();
});

test('on a phone the dashboard stays within its sides', async () => {
  const { page, leave } = await visit(server);
  await page.setViewportSize(phone);
  await page.goto('/analytics');
  await page.locator('.recharts-surface').first().waitFor();
  await settle(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await leave();
});
