import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, phone, settle, visit } from './browser';
import { Server } from './server';

let server: Server;

beforeAll(async () => {
  server = await Server.start();
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

test('a person changes their name and their colours', async () => {
  const { token } = await server.person('nora', ['member', 'reviewer'], 'Nora');
  const { page, leave } = await visit(server, token);
  await page.goto('/settings');
  await page.getByRole('tabpanel').getByText('Reviewer').waitFor();
  await page.getByLabel('Display name').fill('Nora Beck');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectNotice(page, 'Name saved');
  expect((await server.call('GET', '/me', undefined, token)).user.display_name).toBe('Nora Beck');
  await look(page, 'settings-profile');
  await page.getByRole('radiogroup', { name: 'Colours' }).getByText('Dark').click();
  await page.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === 'dark');
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === 'dark');
  await leave();
});

test('an admin adds a person, gives roles, and hands out a link that is shown once', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/settings/users');
  await page.getByRole('button', { name: 'Add a person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Handle').fill('ravi@example.org');
  await dialog.getByLabel('Display name').fill('Ravi Menon');
  await dialog.getByRole('checkbox', { name: 'Reviewer' }).click();
  await look(page, 'settings-add-user');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await expectNotice(page, 'Ravi Menon was added');
  const { items } = await server.call('GET', '/users?handle=ravi@example.org');
  expect(items[0].roles.sort()).toEqual(['member', 'reviewer']);

  await page.getByRole('button', { name: 'More about Ravi Menon' }).click();
  await page.getByRole('menuitem', { name: 'Make a sign-in link' }).click();
  const link = await page.getByRole('group', { name: 'Sign-in link' }).textContent();
  expect(link).toContain('/sign-in?link=');
  await look(page, 'settings-link');
  await page.getByRole('button', { name: 'Done' }).click();

  const ravi = await visit(server, null);
  await ravi.page.goto('/sign-in');
  await ravi.page.getByLabel('Sign-in link or token').fill(link ?? '');
  await ravi.page.keyboard.press('Enter');
  await ravi.page.waitForURL('**/skills');
  await ravi.leave();
  await leave();
});

test('roles are changed, a person is shut out and let in again with undo, and removed', async () => {
  const person = await server.person('tomas', ['member'], 'Tomas Veld');
  const { page, leave } = await visit(server);
  await page.goto('/settings/users');
  const more = page.getByRole('button', { name: 'More about Tomas Veld' });
  await more.click();
  await page.getByRole('menuitem', { name: 'Name and roles' }).click();
  await page.getByRole('dialog').getByRole('checkbox', { name: 'Policy admin' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expectNotice(page, 'Saved');
  expect((await server.call('GET', `/users/${person.id}`)).roles).toContain('policy_admin');
  await look(page, 'settings-users');

  await more.click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await expectNotice(page, 'Tomas Veld is shut out everywhere');
  await page.getByText('Disabled').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectNotice(page, 'Undone');
  expect((await server.call('GET', `/users/${person.id}`)).disabled).toBe(false);

  await more.click();
  await page.getByRole('menuitem', { name: 'Remove from the workspace' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expectNotice(page, 'Tomas Veld was removed');
  expect((await server.call('GET', '/users?handle=tomas')).items).toEqual([]);
  await leave();
});

test('the last admin cannot be taken away, and the page says why', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/settings/users');
  await page.getByRole('button', { name: 'More about Administrator' }).click();
  await page.getByRole('menuitem', { name: 'Remove from the workspace' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('A workspace without an admin could never be managed again').waitFor();
  await look(page, 'settings-last-admin');
  expect((await server.call('GET', '/me')).user.roles).toContain('admin');
  await leave();
});

test('a token is made for an agent, shown once, works, and is revoked', async () => {
  const agent = await server.call('POST', '/agents', { name: 'release-bot', title: 'Release bot' });
  const { page, leave } = await visit(server);
  await page.goto('/settings/tokens');
  await page.getByRole('button', { name: 'Create a token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Build server');
  await dialog.getByRole('combobox', { name: 'Agent' }).fill('Release');
  await page.getByRole('option', { name: 'Release bot' }).click();
  await dialog.getByRole('combobox', { name: 'Ends' }).click();
  await page.getByRole('option', { name: 'In 30 days' }).click();
  await look(page, 'settings-create-token');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const secret = (await page.getByRole('group', { name: 'Token' }).textContent()) ?? '';
  expect(secret).toMatch(/^rpt_/);
  await look(page, 'settings-token-once');
  await page.getByRole('button', { name: 'Done' }).click();
  const me = await server.call('GET', '/me', undefined, secret);
  expect([me.agent_id, me.token_scopes.sort()]).toEqual([agent.id, ['read', 'write']]);
  await page.getByText('through Release bot').waitFor();
  await look(page, 'settings-tokens');

  await page.getByRole('button', { name: 'Revoke Build server' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expectNotice(page, 'Build server was revoked');
  await expect(server.call('GET', '/me', undefined, secret)).rejects.toThrow('401');
  await leave();
});

test('admins see the tokens of everyone, others only their own', async () => {
  const { token } = await server.person('lena', ['member'], 'Lena Fox');
  const admin = await visit(server);
  await admin.page.goto('/settings/tokens');
  await admin.page.getByText('Everyone’s').click();
  await admin.page.getByText('Lena Fox').first().waitFor();
  await admin.leave();
  const member = await visit(server, token);
  await member.page.goto('/settings/tokens');
  await member.page.getByRole('list', { name: 'Tokens' }).waitFor();
  expect(await member.page.getByText('Everyone’s').count()).toBe(0);
  await member.leave();
});

test('the workspace is changed, and only what was changed is sent', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/settings/workspace');
  await page.getByLabel('Title').fill('Platform team');
  await server.call('PATCH', '/workspace', { draft_expiry_days: 12 });
  await page.getByLabel('Hide what people may not see').click();
  await page.getByLabel('Undelete window').fill('48');
  await look(page, 'settings-workspace');
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved');
  expect(await server.call('GET', '/workspace')).toMatchObject({
    title: 'Platform team',
    hide_existence: true,
    undelete_window_hours: 48,
    draft_expiry_days: 12,
  });
  await leave();
});

test('an operator makes a workspace and turns to it', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/settings/workspace');
  await page.getByRole('button', { name: 'New workspace' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Field research');
  expect(await dialog.getByLabel('Name').inputValue()).toBe('field-research');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expectNotice(page, 'Field research is there');
  await page.getByRole('button', { name: 'Turn to Field research' }).click();
  await page.waitForURL('**/skills');
  await page.getByRole('navigation').getByText('Field research').waitFor();
  await page.goto('/settings/workspace');
  await page.getByText('Its name is field-research').waitFor();
  await leave();
});

test('the system page shows protections and search, and gives operators a backup', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/settings/system');
  await page.getByRole('list', { name: 'Protections' }).waitFor();
  await page.getByText('built-in').waitFor();
  await page.getByText(/Version \d/).waitFor();
  await look(page, 'settings-system');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download a backup' }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toBe('repertoire-backup.db');
  expect(readFileSync(await file.path()).toString('latin1', 0, 15)).toBe('SQLite format 3');
  await expectNotice(page, 'Your browser downloads the backup.');
  await leave();
});

test('a member looks at people and the workspace, and changes neither', async () => {
  const { token } = await server.person('iris', ['member'], 'Iris Holt');
  const { page, leave } = await visit(server, token);
  await page.goto('/settings/users');
  await page.getByText('Admins add people and change roles; you can look.').waitFor();
  expect(await page.getByRole('button', { name: 'Add a person' }).count()).toBe(0);
  await page.goto('/settings/workspace');
  await page.getByText('Admins change these; you can look.').waitFor();
  expect(await page.getByRole('button', { name: 'New workspace' }).count()).toBe(0);
  await page.goto('/settings/system');
  await page.getByText('Operators take backups.').waitFor();
  await leave();
});

test('on a phone nothing of the settings runs over the side', async () => {
  const { page, leave } = await visit(server);
  await page.setViewportSize(phone);
  for (const tab of ['', '/users', '/tokens', '/workspace', '/system']) {
    await page.goto(`/settings${tab}`);
    await page.getByRole('tabpanel').waitFor();
    await settle(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), tab).toBeLessThanOrEqual(390);
  }
  await leave();
});
