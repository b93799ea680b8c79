import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, settle, visit } from './browser';
import { seed } from './seeds';
import { Server } from './server';

let server: Server;
let ids: Record<string, string>;

beforeAll(async () => {
  server = await Server.start();
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

const rows = (page: Page, list = 'Skills') =>
  page.getByRole('list', { name: list, exact: true }).locator('article');
const row = (page: Page, title: string) => page.locator('article').filter({ hasText: title });
const skill = (name: string) => server.call('GET', `/skills/${ids[name]}`);
const titles = (page: Page) => page.locator('[data-skill-link]').allInnerTexts();

test('an empty library teaches three ways to fill it', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('heading', { name: /Your library is empty/ }).waitFor();
  await page.getByText('repertoire import FOLDER').waitFor();
  await page.getByText('repertoire connect claude-code').waitFor();
  await look(page, 'library-empty');
  await page.getByRole('link', { name: 'New skill' }).first().click();
  expect(new URL(page.url()).pathname).toBe('/skills/new');
  await leave();
});

test('the library lists skills with where they come from, what they are and how they do', async () => {
  ids = await seed(server);
  for (const success of [true, true, true, false]) {
    await server.call('POST', `/skills/${ids['loan-interest']}/uses`, { success });
  }
  await server.call('POST', `/skills/${ids['refund-check']}/disable`);
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await rows(page).first().waitFor();
  expect(await titles(page)).toEqual([
    'Clean up a CSV file',
    'Incident report',
    'Loan interest',
    'Meeting minutes',
    'Check a refund',
    'Release notes',
  ]);
  const loan = row(page, 'Loan interest');
  await loan.getByText('loan-interest').waitFor();
  await loan.getByText('4 uses').waitFor();
  await loan.getByText('75% success').waitFor();
  await loan.getByRole('img', { name: 'Procedure' }).waitFor();
  await row(page, 'Meeting minutes').getByText('Draft').waitFor();
  await row(page, 'Check a refund').getByText('Off', { exact: true }).waitFor();
  await look(page, 'library');
  await leave();
});

test('a switch turns a skill off at once, and undo turns it on again', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  const toggle = page.getByRole('switch', { name: 'Release notes is on' });
  expect(await toggle.isChecked()).toBe(true);
  await toggle.click();
  await expectNotice(page, 'Release notes is off');
  expect((await skill('release-notes')).enabled).toBe(false);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectNotice(page, 'Undone');
  expect((await skill('release-notes')).enabled).toBe(true);
  expect(await toggle.isChecked()).toBe(true);
  await leave();
});

test('what the server refuses is taken back and said', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.route('**/disable', (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/problem+json',
      body: JSON.stringify({ status: 409, code: 'limit_reached', detail: 'not today' }),
    }),
  );
  const toggle = page.getByRole('switch', { name: 'Release notes is on' });
  await toggle.click();
  await expectNotice(page, 'Not today');
  expect(await toggle.isChecked()).toBe(true);
  await leave();
});

test('a member cannot switch what is shared, and is told why', async () => {
  const mara = await server.person('mara', ['member'], 'Mara Lind');
  await server.call(
    'POST',
    '/skills',
    {
      name: 'packing-list',
      title: 'Packing list',
      description: 'What to take on a trip, by weather and days.',
      instructions: 'Count the days.',
      scope: 'user',
    },
    mara.token,
  );
  const { page, leave } = await visit(server, mara.token);
  await page.goto('/skills');
  await row(page, 'Packing list').getByText('You').waitFor();
  expect(await page.getByRole('switch', { name: 'Release notes is on' }).isDisabled()).toBe(true);
  expect(await page.getByRole('switch', { name: 'Packing list is on' }).isDisabled()).toBe(false);
  await page.getByTitle('Only reviewers and admins turn it on or off').first().waitFor();
  await leave();
});

test('search as one types ranks by meaning, says why, and opens the numbers', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await rows(page).first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('how much interest do I pay on a loan');
  await page.getByRole('list', { name: 'Skills that fit' }).waitFor();
  await settle(page);
  expect((await titles(page))[0]).toBe('Loan interest');
  const hit = row(page, 'Loan interest');
  expect(await hit.getByRole('progressbar').getAttribute('aria-label')).toMatch(/^\d+% similar$/);
  await hit.getByRole('button', { name: 'Why Loan interest: the numbers' }).click();
  await page.getByText('Nearness of meaning').waitFor();
  await page.getByText(/interest \(.*description/).waitFor();
  await look(page, 'library-search');
  await page.getByRole('button', { name: 'Choose all' }).click();
  expect(await page.getByRole('checkbox', { name: 'Select Loan interest' }).isChecked()).toBe(true);
  expect(new URL(page.url()).searchParams.get('q')).toBe('how much interest do I pay on a loan');
  await page.reload();
  await hit.waitFor();
  expect(await page.getByRole('searchbox').inputValue()).toBe('how much interest do I pay on a loan');
  await leave();
});

test('where nothing fits it says so, and offers weaker matches', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('searchbox').fill('water the orchids on the balcony');
  await page.getByText('Nothing fits').waitFor();
  await look(page, 'library-nothing-fits');
  await page.getByRole('button', { name: 'Show weaker matches' }).click();
  await page.waitForFunction(() => location.search.includes('weak=true'));
  await settle(page);
  const weak = await server.call('POST', '/skills/search', {
    query: 'water the orchids on the balcony',
    min_similarity: 0,
    nearest: false,
    limit: 50,
  });
  expect(await titles(page)).toEqual(
    weak.items.map(({ skill }: { skill: { title: string } }) => skill.title),
  );
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await rows(page).first().waitFor();
  await leave();
});

test('filters narrow the list, stand in the address, and one click clears each', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('combobox', { name: 'Tag' }).click();
  await page.getByRole('option', { name: /^writing/ }).click();
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Active' }).click();
  await look(page, 'library-filter');
  await page.keyboard.press('Escape');
  await settle(page);
  expect(await titles(page)).toEqual(['Incident report', 'Release notes']);
  expect(new URL(page.url()).search).toBe('?tag=writing&status=active');
  await page.getByRole('button', { name: 'Clear Active' }).click();
  await row(page, 'Meeting minutes').waitFor();
  await page.goto('/skills?tag=writing&facet=procedure');
  await page.getByText('No skill passes these filters').waitFor();
  await look(page, 'library-filtered-out');
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await row(page, 'Loan interest').waitFor();
  expect(new URL(page.url()).search).toBe('');
  await leave();
});

test('grouping shows whose skills they are, with how many, and opens and shuts', async () => {
  const coder = await server.call('POST', '/agents', { name: 'coder', title: 'Coding agent' });
  const put = (name: string, title: string, scope: Record<string, string>) =>
    server.call('POST', '/skills', {
      name,
      title,
      description: `${title}, as this owner wants it done.`,
      instructions: 'As agreed.',
      ...scope,
    });
  await put('commit-style', 'Commit style', { scope: 'agent', agent: coder.id });
  await put('review-style', 'Review style', { scope: 'agent', agent: coder.id });
  await put('own-shortcuts', 'Own shortcuts', { scope: 'agent_user', agent: coder.id, user: 'mara' });
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await rows(page).first().waitFor();
  await page.getByRole('button', { name: 'Group' }).click();
  await page.getByRole('region', { name: 'Coding agent', exact: true }).waitFor();
  await settle(page);
  const { items } = await server.call('GET', '/skills/groups');
  const heads = page.getByRole('heading', { level: 2 });
  expect(await heads.allInnerTexts()).toHaveLength(items.length);
  expect(new URL(page.url()).search).toBe('?group=owner');
  await row(page, 'Commit style').waitFor();
  await look(page, 'library-groups');
  const agent = page.getByRole('button', { name: /^Coding agent 2/ });
  await agent.click();
  await row(page, 'Commit style').waitFor({ state: 'detached' });
  expect(await agent.getAttribute('aria-expanded')).toBe('false');
  await page.getByRole('button', { name: /Coding agent · Mara Lind/ }).click();
  await row(page, 'Own shortcuts').waitFor();
  for (const { name, owner } of [
    { name: 'commit-style', owner: 'agent' },
    { name: 'review-style', owner: 'agent' },
    { name: 'own-shortcuts', owner: 'agent_user' },
  ]) {
    const { items: found } = await server.call('GET', `/skills?name=${name}&scope=${owner}`);
    await server.call('DELETE', `/skills/${found[0].id}`);
  }
  await leave();
});

test('the order is by name, by change or by age', async () => {
  await server.call('PATCH', `/skills/${ids['csv-cleanup']}`, {
    description: 'Trims the cells of a CSV file.',
  });
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('combobox', { name: 'Order' }).click();
  await page.getByRole('option', { name: 'Last changed' }).click();
  await page.waitForFunction(
    () => document.querySelector('[data-skill-link]')?.textContent === 'Clean up a CSV file',
  );
  expect(new URL(page.url()).search).toBe('?sort=updated');
  await leave();
});

test('the keyboard goes through the list, chooses and opens', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await rows(page).first().waitFor();
  const here = () => page.evaluate(() => document.activeElement?.textContent);
  await page.keyboard.press('j');
  expect(await here()).toBe('Clean up a CSV file');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  expect(await here()).toBe('Loan interest');
  await page.keyboard.press('k');
  expect(await here()).toBe('Incident report');
  await page.keyboard.press('x');
  await page.getByRole('region', { name: 'Chosen skills' }).getByText('1 skill').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/skills/${ids['incident-report']}`);
  await leave();
});

test('many are archived at once, and undo brings each back as it was', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await page.getByRole('checkbox', { name: 'Select Incident report' }).click();
  await page.getByRole('checkbox', { name: 'Select Meeting minutes' }).click({ modifiers: ['Shift'] });
  await page.getByRole('region', { name: 'Chosen skills' }).getByText('3 skills').waitFor();
  await look(page, 'library-chosen');
  await page.getByRole('button', { name: 'Archive' }).first().click();
  await expectNotice(page, 'Archived 3 skills');
  expect((await skill('loan-interest')).status).toBe('archived');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectNotice(page, 'Undone');
  expect((await skill('loan-interest')).status).toBe('active');
  expect((await skill('meeting-minutes')).status).toBe('draft');
  await leave();
});

test('all that match are chosen, tagged, and the tag is taken back', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills?tag=writing');
  await page.getByRole('checkbox', { name: 'Choose all 3 skills' }).click();
  await page.getByRole('button', { name: 'More for the chosen skills' }).click();
  await page.getByRole('menuitem', { name: 'Add a tag…' }).click();
  await page.getByRole('textbox', { name: 'Tag' }).fill('docs');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expectNotice(page, 'Tagged “docs”: 3 skills');
  expect((await skill('release-notes')).tags).toEqual(['docs', 'release', 'writing']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectNotice(page, 'Undone');
  expect((await skill('release-notes')).tags).toEqual(['release', 'writing']);
  await leave();
});

test('what could not be done is listed with its reason, and stays chosen', async () => {
  const tom = await server.person('tom', ['member'], 'Tom Berg');
  await server.call(
    'POST',
    '/skills',
    {
      name: 'lunch-plan',
      title: 'Lunch plan',
      description: 'Plans lunch for a team.',
      instructions: 'Ask first.',
      scope: 'user',
    },
    tom.token,
  );
  const { page, leave } = await visit(server, tom.token);
  await page.goto('/skills');
  await page.getByRole('checkbox', { name: 'Select Release notes' }).click();
  await page.getByRole('checkbox', { name: 'Select Lunch plan' }).click();
  await page.getByRole('button', { name: 'Turn off' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Could not turn off 1 of 2 skills').waitFor();
  await dialog.getByRole('link', { name: 'Release notes' }).waitFor();
  await look(page, 'library-some-failed');
  await page.keyboard.press('Escape');
  expect(await page.getByRole('checkbox', { name: 'Select Release notes' }).isChecked()).toBe(true);
  expect(await page.getByRole('checkbox', { name: 'Select Lunch plan' }).isChecked()).toBe(false);
  await leave();
});

test('deleting for good asks; within the undelete window it can be taken back', async () => {
  const { page, leave } = await visit(server);
  const { skill: copy } = await server.call('POST', '/skills', {
    name: 'old-macro',
    title: 'Old macro',
    description: 'An old macro that nobody needs any more.',
    instructions: 'Do not.',
  });
  await server.call('PATCH', '/workspace', { undelete_window_hours: 0 });
  await page.goto('/skills');
  await page.getByRole('checkbox', { name: 'Select Old macro' }).click();
  await page.getByRole('button', { name: 'Delete' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect((await server.call('GET', `/skills/${copy.id}`)).name).toBe('old-macro');

  await server.call('PATCH', '/workspace', { undelete_window_hours: 24 });
  await page.goto('/skills');
  await page.getByRole('checkbox', { name: 'Select Old macro' }).click();
  await page.getByRole('button', { name: 'Delete' }).first().click();
  await expectNotice(page, 'Deleted 1 skill');
  await row(page, 'Old macro').waitFor({ state: 'detached' });

  await page.goto('/skills?deleted=true');
  await row(page, 'Old macro').waitFor();
  await look(page, 'library-deleted');
  await page.getByRole('button', { name: 'Bring back' }).click();
  await expectNotice(page, 'Old macro is back');
  await page.getByText('Nothing that could be brought back').waitFor();
  expect((await server.call('GET', `/skills/${copy.id}`)).name).toBe('old-macro');
  await leave();
});

test('a zip dropped on the library is imported, and what was found in it is shown', async () => {
  const exported = await fetch(`${server.url}/api/v1/skills/${ids['csv-cleanup']}/bundle`, {
    headers: { Authorization: `Bearer ${server.token}` },
  });
  const bytes = [...new Uint8Array(await exported.arrayBuffer())];
  await server.call('DELETE', `/skills/${ids['csv-cleanup']}`);
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  await rows(page).first().waitFor();
  const drop = async () => {
    const data = await page.evaluateHandle((content) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(content)], 'csv-cleanup.zip', { type: 'application/zip' }));
      return transfer;
    }, bytes);
    await page.dispatchEvent('body', 'dragenter', { dataTransfer: data });
    await page.getByText('Let go to import').waitFor();
    await page.dispatchEvent('body', 'drop', { dataTransfer: data });
  };
  await drop();
  const dialog = page.getByRole('dialog', { name: 'Import' });
  await dialog.getByText('1 skill imported.').waitFor();
  await dialog.getByRole('link', { name: 'Clean up a CSV file' }).waitFor();
  await look(page, 'library-import');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await row(page, 'Clean up a CSV file').waitFor();
  await leave();
});

test('loose files are imported as a bundle, and a taken name can become a revision', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills');
  const choose = async (text: string) => {
    await page.getByLabel('Zip files to import').setInputFiles({
      name: 'SKILL.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from(`---\nname: haiku\ndescription: ${text}\n---\nFive, seven, five.\n`),
    });
  };
  const dialog = page.getByRole('dialog', { name: 'Import' });
  await choose('Writes a haiku about a commit.');
  await dialog.getByText('1 skill imported.').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await choose('Writes a haiku about a release.');
  await dialog.getByText('0 skills imported, 1 not.').waitFor();
  await dialog.getByRole('button', { name: 'Import the taken one as a new revision' }).click();
  await dialog.getByText('New revision', { exact: true }).waitFor();
  const { items } = await server.call('GET', '/skills?name=haiku');
  expect([items[0].revision, items[0].description]).toEqual([2, 'Writes a haiku about a release.']);
  await leave();
});
