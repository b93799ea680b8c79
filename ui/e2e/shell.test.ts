import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, phone, settle, visit } from './browser';
import { seed } from './seeds';
import { Server } from './server';

let server: Server;
let ids: Record<string, string>;

beforeAll(async () => {
  server = await Server.start();
  ids = await seed(server);
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

test('the one-time link of the terminal opens the app', async () => {
  const { page, leave } = await visit(server, null);
  await page.goto(server.link());
  await page.getByRole('heading', { name: 'Library', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/skills');
  await look(page, 'first-visit');
  await leave();
});

test('the palette opens by key and finds a skill by its meaning', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  await palette.waitFor();
  await look(page, 'palette');
  await page.keyboard.type('what changed since the last version');
  await palette.getByText('Release notes', { exact: true }).waitFor();
  await look(page, 'palette-skills');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/skills/${ids['release-notes']}`);
  await leave();
});

test('the palette goes to places and does things, all by key', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('searchbox').focus();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
  await page.keyboard.type('Governance');
  await page.getByRole('dialog').getByText('Policies, decisions, test bench').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/governance');
  await leave();
});

test('two keys go to a place, and a question mark lists them', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.waitForURL('**/agents');
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await page.waitForURL('**/skills');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await look(page, 'shortcuts');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // Letters that are typed are letters.
  await page.getByRole('searchbox').focus();
  await page.keyboard.type('ga?');
  expect(new URL(page.url()).pathname).toBe('/skills');
  expect(await page.getByRole('searchbox').inputValue()).toBe('ga?');
  await leave();
});

test('the keyboard skips to the content, and after going elsewhere stands at the heading', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  const here = () =>
    page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.textContent}`);
  await page.keyboard.press('Tab');
  expect(await here()).toBe('A Skip to content');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).click();
  await page.waitForURL('**/audit');
  await expect.poll(here).toMatch(/^H1 /);
  await leave();
});

test('on a phone the navigation is a drawer that shuts behind one', async () => {
  const { page, leave } = await visit(server);
  await page.setViewportSize(phone);
  await page.goto('/skills');
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  const agents = page.getByRole('link', { name: 'Agents' });
  expect(await agents.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Open menu' }).click();
  await agents.waitFor();
  await settle(page);
  await look(page, 'drawer');
  await page.setViewportSize(phone);
  await agents.click();
  await page.waitForURL('**/agents');
  await agents.waitFor({ state: 'hidden' });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
  await leave();
});

test('colours are chosen in the menu and stay', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
  expect(await scheme()).toBe('light');
  await page.getByRole('button', { name: /Default/ }).click();
  await settle(page);
  await look(page, 'user-menu');
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await expect.poll(scheme).toBe('dark');
  await page.reload();
  expect(await scheme()).toBe('dark');
  await leave();
});

test('another workspace is turned to from the menu, and shows its own library', async () => {
  await server.call('POST', '/workspaces', { name: 'legal', title: 'Legal team' });
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  await page.getByRole('button', { name: /Default/ }).click();
  await page.getByRole('menuitem', { name: 'Legal team' }).click();
  await page.getByRole('heading', { name: /Your library is empty/ }).waitFor();
  await page.getByRole('button', { name: /Legal team/ }).waitFor();
  await leave();
});

test('a tab stays in its workspace when another tab turns to another', async () => {
  await server.call('POST', '/workspaces', { name: 'sales', title: 'Sales team' });
  const { page, context, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  const second = await context.newPage();
  await second.goto('/skills');
  await second.getByRole('button', { name: /Default/ }).click();
  await second.getByRole('menuitem', { name: 'Sales team' }).click();
  await second.getByRole('heading', { name: /Your library is empty/ }).waitFor();
  await second.getByRole('status', { name: 'live', exact: true }).waitFor();
  await page.getByRole('switch', { name: 'Release notes is on' }).click();
  await expectNotice(page, 'Release notes is off');
  expect((await server.call('GET', `/skills/${ids['release-notes']}`)).enabled).toBe(false);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectNotice(page, 'Undone');
  await leave();
});

test('a remembered workspace that is gone gives way to the one of the sign-in', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  await page.evaluate(() => localStorage.setItem('repertoire-workspace', 'long-gone'));
  await page.reload();
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  await page.getByRole('button', { name: /Default/ }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem('repertoire-workspace'))).toBeNull();
  await leave();
});

test('while the server is away the app says so, and goes on by itself when it is back', async () => {
  const { page, complaints, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  await server.stop();
  await page.getByRole('searchbox').fill('refund');
  await page.getByText('The server cannot be reached.').waitFor();
  await look(page, 'offline');
  await server.restart();
  await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Check a refund' }).waitFor();
  complaints.splice(0);
  await leave();
});

test('a session that ended leads to the sign-in, which knows the way back', async () => {
  const { page, context, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  await context.clearCookies();
  await page.getByRole('searchbox').fill('refund');
  await page.waitForURL('**/sign-in?**');
  expect(new URL(page.url()).searchParams.get('next')).toMatch(/^\/skills/);
  await leave();
});

test('what is made elsewhere appears by itself', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  await page.getByRole('status', { name: 'live' }).waitFor();
  await server.call('POST', '/skills', {
    name: 'travel-costs',
    title: 'Travel costs',
    description: 'Adds up the costs of a trip by the rules of the company.',
    instructions: 'Receipts first.',
  });
  await page.getByRole('link', { name: 'Travel costs' }).waitFor();
  await leave();
});

test('the page has a strict policy: a script that was slipped in does not run', async () => {
  const { page, complaints, leave } = await visit(server);
  const answer = await page.goto('/skills');
  const policy = answer?.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  await page.getByRole('link', { name: 'Loan interest' }).waitFor();
  expect(complaints).toEqual([]);
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.slipped = true';
    document.head.append(script);
    return 'slipped' in window;
  });
  expect(ran).toBe(false);
  await expect.poll(() => complaints.length).toBe(1);
  expect(complaints.splice(0)[0]).toContain('Content Security Policy');
  await leave();
});

test('signing out ends the session', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('button', { name: /Default/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  expect((await page.request.get('/api/v1/me')).status()).toBe(401);
  await leave();
});

test('a second tab of the browser is live too', async () => {
  const { page, context, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('status', { name: 'live', exact: true }).waitFor();
  const second = await context.newPage();
  await second.goto('/agents');
  await second.getByRole('status', { name: 'live', exact: true }).waitFor();
  await leave();
});

test('on a phone the open tab is in sight', async () => {
  const { page, leave } = await visit(server);
  await page.setViewportSize(phone);
  await page.goto('/settings/system');
  const tab = page.getByRole('tab', { name: 'System' });
  await tab.waitFor();
  await expect
    .poll(async () => {
      const box = await tab.boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= phone.width;
    })
    .toBe(true);
  await leave();
});
