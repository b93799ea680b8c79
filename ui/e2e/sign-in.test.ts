import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, look, settle, visit } from './browser';
import { Server } from './server';

let server: Server;

beforeAll(async () => {
  server = await Server.start();
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

const link = async () => {
  const { user } = await server.call('GET', '/me');
  return (await server.call('POST', `/users/${user.id}/sign-in-link`)).url as string;
};

const box = 'Sign-in link or token';

test('who is not signed in comes to the door, and goes on where they wanted to', async () => {
  const { page, leave } = await visit(server, null);
  await page.goto('/settings/tokens?agent=none');
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  await page.getByText('repertoire user link admin').waitFor();
  await look(page, 'sign-in');
  await page.getByLabel(box).fill(server.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/settings/tokens?agent=none');
  await leave();
});

test('a one-time link can be pasted whole, and works once', async () => {
  const url = await link();
  const first = await visit(server, null);
  await first.page.goto('/sign-in');
  await first.page.getByLabel(box).fill(url);
  await first.page.keyboard.press('Enter');
  await first.page.waitForURL('**/skills');
  await first.leave();

  const second = await visit(server, null);
  await second.page.goto('/sign-in');
  await second.page.getByLabel(box).fill(url);
  await second.page.keyboard.press('Enter');
  await second.page.getByText('The link is unknown, was used already, or has expired.').waitFor();
  await look(second.page, 'sign-in-refused');
  await second.leave();
});

test('what is neither a link nor a token, and a token that is unknown, are said apart', async () => {
  const { page, leave } = await visit(server, null);
  await page.goto('/sign-in');
  await page.getByLabel(box).fill('open sesame');
  await page.keyboard.press('Enter');
  await page.getByText('That is neither a sign-in link nor a token.').waitFor();
  await page.getByLabel(box).fill('rpt_unknown');
  await page.keyboard.press('Enter');
  await page.getByText(/token/i).and(page.locator('.mantine-InputWrapper-error')).waitFor();
  expect(new URL(page.url()).pathname).toBe('/sign-in');
  await leave();
});

test('a link that no longer works leads to the door, which says so', async () => {
  const { page, leave } = await visit(server, null);
  await page.goto('/sign-in?link=rpl_used-long-ago');
  await page.getByRole('alert').getByText('Each link works once, within 24 hours.').waitFor();
  await look(page, 'sign-in-problem');
  await leave();
});

test('nobody is sent to another host, and who is signed in already goes on', async () => {
  const { page, leave } = await visit(server);
  for (const elsewhere of ['https://evil.example/', '//evil.example/x', '/\\evil.example']) {
    await page.goto(`/sign-in?next=${encodeURIComponent(elsewhere)}`);
    await page.waitForURL(`${server.url}/skills`);
  }
  await page.goto('/sign-in?next=/agents');
  await page.waitForURL(`${server.url}/agents`);
  await leave();
});

test('sign-out ends the session and leads to the door', async () => {
  const { page, context, leave } = await visit(server);
  await page.goto('/settings');
  await page.getByRole('tabpanel').getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  await page.getByLabel(box).waitFor();
  expect((await context.request.get('/api/v1/me')).status()).toBe(401);
  await leave();
});

test('a session that ended elsewhere leads to the door, and back afterwards', async () => {
  const { page, context, leave } = await visit(server);
  await page.goto('/agents');
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  await settle(page);
  await context.clearCookies();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: 'Workspace' }).click();
  await page.getByLabel(box).waitFor();
  await page.getByLabel(box).fill(server.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/settings/workspace');
  await page.getByRole('heading', { name: 'This workspace' }).waitFor();
  await leave();
});
