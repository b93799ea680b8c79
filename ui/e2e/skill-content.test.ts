import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, visit } from './browser';
import { Server } from './server';

let server: Server;
let id: string;
let name: string;
let count = 0;

const text = `---
name: NAME
description: Answers support mail in the voice of the team. Use it for every first reply.
license: Apache-2.0
---
# First replies

1. Read the whole mail.
2. Look the customer up in \`references/tiers.md\`.
3. Answer what was asked, in at most five sentences.

| Tier | Answer within |
| --- | --- |
| Gold | 1 hour |
| Other | 1 day |
`;

/** A blue square. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

beforeAll(async () => {
  server = await Server.start();
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});
beforeEach(async () => {
  count += 1;
  name = `first-replies-${count}`;
  const { skill } = await server.call('POST', '/skills', {
    files: [
      { path: 'SKILL.md', content: text.replace('NAME', name) },
      { path: 'repertoire.yaml', content: 'title: First replies\ntags: [support]\n' },
      { path: 'references/tiers.md', content: '# Tiers\r\n\r\nGold and other.\r\n' },
      { path: 'scripts/count.sh', content: '#!/bin/sh\nwc -w\n', executable: true },
      { path: 'assets/logo.bin', content_base64: 'AAEC/w==' },
    ],
  });
  id = skill.id;
});

const read = () => server.call('GET', `/skills/${id}`);
const editor = (page: Page, path: string) => page.getByRole('textbox', { name: path, exact: true });
const fileOf = (skill: { files: { path: string }[] }, path: string) =>
  skill.files.find((file) => file.path === path);

async function open(page: Page, path: string) {
  await page.getByRole('listitem').getByRole('button', { name: path }).first().click();
}

async function bytes(path: string): Promise<string> {
  const answer = await fetch(`${server.url}/api/v1/skills/${id}/files/${path}`, {
    headers: { Authorization: `Bearer ${server.token}` },
  });
  return answer.text();
}

test('SKILL.md is edited beside its preview and saved as one revision', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/content`);
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByRole('heading', { name: 'First replies' }).waitFor();
  await preview.getByRole('cell', { name: '1 hour' }).waitFor();
  await page.getByText('Nothing to complain about.').waitFor();
  await look(page, 'skill-content');
  await editor(page, 'SKILL.md').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n## Never\n\nPromise a date.');
  await preview.getByRole('heading', { name: 'Never' }).waitFor();
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await bar.getByText('SKILL.md changed').waitFor();
  await bar.getByLabel('What changed, and why (optional)').fill('never promise dates');
  await editor(page, 'SKILL.md').click();
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 2');
  const after = await read();
  expect(after.instructions).toContain('## Never\n\nPromise a date.');
  expect(after.shown.message).toBe('never promise dates');
  await leave();
});

test('findings come while typing, stand in the gutter, and a click leads to their line', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/content`);
  await page.getByText('Nothing to complain about.').waitFor();
  await page.getByRole('img', { name: 'loads it' }).first().waitFor();
  await open(page, 'repertoire.yaml');
  expect(new URL(page.url()).searchParams.get('file')).toBe('repertoire.yaml');
  await editor(page, 'repertoire.yaml').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('titel: 4\n');
  const finding = page.getByRole('button', { name: /`titel` is not a field of repertoire.yaml/ });
  await finding.waitFor();
  await page.locator('.cm-lint-marker-error').waitFor();
  await look(page, 'skill-content-findings');
  await open(page, 'SKILL.md');
  await finding.click();
  await editor(page, 'repertoire.yaml').waitFor();
  await expect.poll(() => page.locator('.cm-activeLine').textContent()).toContain('titel');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('`repertoire.yaml` is not valid').waitFor();
  expect((await read()).revision).toBe(1);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('Nothing to complain about.').waitFor();
  await leave();
});

test('files are added, dropped, renamed, made executable and removed in one go', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/content`);
  await page.getByRole('button', { name: 'New file' }).click();
  await page.getByLabel('Path').fill('references/TIERS.md');
  await page.getByText('There is a file at this path already').waitFor();
  await page.getByLabel('Path').fill('references/tone.md');
  await page.getByRole('button', { name: 'Add' }).click();
  await editor(page, 'references/tone.md').click();
  await page.keyboard.type('# Tone\n\nWarm and short.');

  // As a person drops a file from the desktop.
  const transfer = await page.evaluateHandle((png) => {
    const data = new DataTransfer();
    data.items.add(
      new File([Uint8Array.from(atob(png), (char) => char.charCodeAt(0))], 'team.png', { type: 'image/png' }),
    );
    return data;
  }, PICTURE);
  const zone = page.locator('.mantine-Dropzone-root');
  await zone.dispatchEvent('dragenter', { dataTransfer: transfer });
  await zone.dispatchEvent('drop', { dataTransfer: transfer });
  await page.getByText('team.png, added').or(page.getByText('added team.png')).first().waitFor();
  await page.getByText('Not a text').waitFor();

  await page.getByLabel('Actions for references/tiers.md').click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await page.getByLabel('Path').fill('references/levels.md');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Actions for assets/logo.bin').click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByText('Removed when you save: assets/logo.bin').waitFor();
  await page.getByLabel('Actions for references/tone.md').click();
  await page.getByRole('menuitem', { name: 'Make executable' }).click();
  await page.getByText('4 files changed, saved as one revision').waitFor();
  expect((await read()).revision).toBe(1);
  await look(page, 'skill-content-files');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectNotice(page, 'Saved as revision 2');

  const after = await read();
  expect(after.files.map((file: { path: string }) => file.path).sort()).toEqual([
    'SKILL.md',
    'references/levels.md',
    'references/tone.md',
    'repertoire.yaml',
    'scripts/count.sh',
    'team.png',
  ]);
  expect(fileOf(after, 'references/tone.md')).toMatchObject({ executable: true });
  expect(fileOf(after, 'scripts/count.sh')).toMatchObject({ executable: true });
  expect(fileOf(after, 'team.png')).toMatchObject({ size: Buffer.from(PICTURE, 'base64').length });
  expect(await bytes('references/levels.md')).toBe('# Tiers\r\n\r\nGold and other.\r\n');
  expect(await bytes('references/tone.md')).toBe('# Tone\n\nWarm and short.');
  await leave();
});

test('the line endings of a file stay as they are where it is edited', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/content?file=references/tiers.md`);
  await editor(page, 'references/tiers.md').click();
  expect(await page.getByRole('region', { name: 'Unsaved changes' }).count()).toBe(0);
  await page.keyboard.press('Control+End');
  await page.keyboard.type('Silver too.\n');
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 2');
  expect(await bytes('references/tiers.md')).toBe('# Tiers\r\n\r\nGold and other.\r\nSilver too.\r\n');
  await leave();
});

test('a file is uploaded by the button and downloaded again', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/content`);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Upload' }).click(),
  ]);
  await chooser.setFiles([
    { name: 'faq.md', mimeType: 'text/markdown', buffer: Buffer.from('# FAQ\n') },
    { name: 'scripts.txt', mimeType: 'text/plain', buffer: Buffer.from('none\n') },
  ]);
  await page.getByText('2 files changed, saved as one revision').waitFor();
  await page.getByLabel('Actions for faq.md').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('faq.md');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('5 files').waitFor();
  await leave();
});

test('an upload that ends while a save is under way is there when it is done', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/content`);
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(`**/api/v1/skills/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') await held;
    await route.continue();
  });
  await editor(page, 'SKILL.md').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nMore.');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Upload' }).click(),
  ]);
  await page.keyboard.press('Control+s');
  await page.getByRole('button', { name: 'Save' }).and(page.locator('[data-loading]')).waitFor();
  await chooser.setFiles([{ name: 'faq.md', mimeType: 'text/markdown', buffer: Buffer.from('# FAQ\n') }]);
  answer();
  await expectNotice(page, 'Saved as revision 2');
  await page.getByText('faq.md added').waitFor();
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 3');
  expect(await bytes('faq.md')).toBe('# FAQ\n');
  expect((await read()).instructions).toContain('More.');
  await leave();
});

test('somebody else saves while the editor is open: nothing is lost', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/content`);
  await editor(page, 'SKILL.md').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nMine.');
  await server.call('PATCH', `/skills/${id}`, {
    files: [{ path: 'references/tiers.md', content: 'Theirs.\n' }],
    message: 'new tiers',
  });
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Somebody else changed this skill' });
  await dialog.getByText('revision 2 is current now').waitFor();
  expect(await dialog.getByText('You both changed').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Save on top' }).click();
  await expectNotice(page, 'Saved as revision 3');
  expect((await read()).instructions).toContain('Mine.');
  expect(await bytes('references/tiers.md')).toBe('Theirs.\n');
  await leave();
});

test('where both changed one file the dialog names it, and what was typed stays', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/content`);
  await editor(page, 'SKILL.md').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nMine.');
  await server.call('PATCH', `/skills/${id}`, { instructions: '# Theirs\n' });
  await page.keyboard.press('Control+s');
  await page.getByText('You both changed SKILL.md').waitFor();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByText('Revision 2 was saved in the meantime').waitFor();
  expect(await editor(page, 'SKILL.md').textContent()).toContain('Mine.');
  await look(page, 'skill-content-stale');
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => editor(page, 'SKILL.md').textContent()).toContain('# Theirs');
  await leave();
});

test('what is typed while a save fails stays, and a session that ended costs nothing', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/content`);
  let refuse = () => {};
  const held = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  await page.route(`**/api/v1/skills/${id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await held;
    const detail = 'you are not signed in';
    await route.fulfill({ status: 401, json: { code: 'unauthenticated', status: 401, detail } });
  });
  await editor(page, 'SKILL.md').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nMine.');
  await page.keyboard.press('Control+s');
  await page.getByRole('button', { name: 'Save' }).and(page.locator('[data-loading]')).waitFor();
  await page.keyboard.type(' Later.');
  refuse();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.unroute(`**/api/v1/skills/${id}`);
  await dialog.waitFor({ state: 'hidden' });
  expect(await editor(page, 'SKILL.md').textContent()).toContain('Mine. Later.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectNotice(page, 'Saved as revision 2');
  expect((await read()).instructions).toContain('Mine. Later.');
  await leave();
});

test('whoever may not change it reads it', async () => {
  const bob = await server.person(`bob-${count}`, ['member'], 'Bob Jones');
  const { page, leave } = await visit(server, bob.token);
  await page.goto(`/skills/${id}/content`);
  await page
    .getByRole('region', { name: 'Preview' })
    .getByRole('heading', { name: 'First replies' })
    .waitFor();
  expect(await page.getByRole('button', { name: 'Upload' }).count()).toBe(0);
  await page.getByText('Source', { exact: true }).click();
  expect(await editor(page, 'SKILL.md').getAttribute('aria-readonly')).toBe('true');
  await leave();
});
