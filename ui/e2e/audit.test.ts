import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, look, phone, settle, visit } from './browser';
import { seedFew } from './seeds';
import { Server } from './server';

let server: Server;
let skills: Record<string, string>;

beforeAll(async () => {
  server = await Server.start();
  skills = await seedFew(server);
  const ada = await server.person('ada', ['member', 'reviewer'], 'Ada Stern');
  await server.call('POST', `/skills/${skills['rotate-keys']}/disable`, undefined, ada.token);
  await server.call('POST', `/skills/${skills['triage-crash-reports']}/archive`, {
    reason: 'replaced by the new tracker',
  });
  await server.call('DELETE', `/skills/${skills['invoice-totals']}`);
  for (let use = 0; use < 120; use += 1) {
    await server.call('POST', `/skills/${skills['release-notes']}/uses`, { success: use % 5 !== 0 });
  }
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

test('the log reads as sentences, with the chain whole', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/audit?verb=skill.archive');
  const entries = page.getByRole('list', { name: 'Entries' });
  await entries.getByText('archived the skill').waitFor();
  await entries.getByText('“replaced by the new tracker”').waitFor();
  await entries.getByRole('link', { name: 'triage-crash-reports' }).waitFor();
  await page.getByRole('status').getByText('The chain is whole').waitFor();
  await page.getByText(/\d+ entries checked/).waitFor();
  await page.goto('/audit');
  await entries.getByText('used the skill').first().waitFor();
  await look(page, 'audit');
  await leave();
});

test('what is deleted has no link, and who did it is named', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/audit?verb=skill.delete');
  const row = page.getByRole('list', { name: 'Entries' }).getByRole('listitem');
  await row.getByText('invoice-totals').waitFor();
  expect(await row.getByRole('link').count()).toBe(0);
  await page.goto('/audit?verb=skill.disable');
  await row.getByText('turned off the skill').waitFor();
  await leave();
});

test('filters narrow the log, stand in the address, and can be taken away', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/audit');
  await page.getByRole('combobox', { name: 'What was done' }).fill('user.add');
  await page.getByRole('option', { name: 'user.add' }).click();
  await page.waitForURL('**/audit?verb=user.add');
  await page.getByRole('list', { name: 'Entries' }).getByText('ada').waitFor();
  expect(await page.getByRole('list', { name: 'Entries' }).getByRole('listitem').count()).toBe(1);
  await page.getByRole('combobox', { name: 'To what kind' }).click();
  await page.getByRole('option', { name: 'token' }).click();
  await page.getByText('Nothing fits these filters').waitFor();
  await look(page, 'audit-empty');
  await page.getByRole('button', { name: 'Show everything' }).click();
  await page.getByRole('list', { name: 'Entries' }).getByText('used the skill').first().waitFor();
  await leave();
});

test('one entry shows its hashes and its record, under its own address', async () => {
  const { items } = await server.call('GET', '/audit?verb=skill.archive');
  const { page, leave } = await visit(server);
  await page.goto('/audit?verb=skill.archive');
  await page.getByRole('button', { name: `Entry ${items[0].sequence} with its hashes` }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText(items[0].hash, { exact: true }).waitFor();
  await drawer.getByText(items[0].previous, { exact: true }).waitFor();
  await look(page, 'audit-entry');
  expect(page.url()).toContain(`entry=${items[0].sequence}`);
  await page.reload();
  await drawer.getByText(items[0].hash, { exact: true }).waitFor();
  await drawer.getByRole('button', { name: 'All entries about this skill' }).click();
  await page.waitForURL((url) => url.searchParams.get('subject') === skills['triage-crash-reports']);
  await page.getByRole('list', { name: 'Entries' }).getByText('created the skill').waitFor();
  await leave();
});

test('older entries come as one scrolls, and a link to an old one finds it', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/audit');
  const rows = page.getByRole('list', { name: 'Entries' }).getByRole('listitem');
  await rows.first().waitFor();
  await page.getByRole('button', { name: 'Show older ones' }).scrollIntoViewIfNeeded();
  await page.getByText('created the workspace').waitFor();
  expect(await rows.count()).toBeGreaterThan(120);
  await page.goto('/audit?entry=1');
  await page.getByRole('dialog').getByText('created the workspace').waitFor();
  await leave();
});

test('the whole chain can be taken along', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/audit');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const lines = readFileSync(await (await coming).path(), 'utf8')
    .trim()
    .split('\n');
  const { entries } = await server.call('GET', '/audit/verification');
  expect(Math.abs(lines.length - entries)).toBeLessThanOrEqual(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ sequence: 1, verb: 'workspace.create' });
  await leave();
});

test('a policy admin reads the log, a member is told who does', async () => {
  const policy = await server.person('pia', ['policy_admin'], 'Pia Roth');
  const reader = await visit(server, policy.token);
  await reader.page.goto('/audit');
  await reader.page.getByText('The chain is whole').waitFor();
  await reader.leave();
  const member = await server.person('mo', ['member'], 'Mo');
  const { page, leave } = await visit(server, member.token);
  await page.goto('/audit');
  await page.getByText('For admins and policy admins').waitFor();
  expect(await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).count()).toBe(0);
  await look(page, 'audit-member');
  await leave();
});

test('on a phone the log stays within its sides', async () => {
  const { page, leave } = await visit(server);
  await page.setViewportSize(phone);
  await page.goto('/audit');
  await page.getByRole('list', { name: 'Entries' }).waitFor();
  await settle(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await leave();
});
