import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, visit } from './browser';
import { Server } from './server';

let server: Server;
let id: string;

beforeAll(async () => {
  server = await Server.start();
  const { skill } = await server.call('POST', '/skills', {
    name: 'incident-report',
    title: 'Incident report',
    description: 'Writes a report after an incident.',
    instructions: '# Incident report\n\n1. What happened.\n2. Why.\n3. What changes.\n',
    files: [
      { path: 'references/old.md', content: 'The same text stays.\n' },
      { path: 'assets/chart.bin', content_base64: 'AAEC' },
    ],
  });
  id = skill.id;
  await server.call('PATCH', `/skills/${id}`, {
    instructions:
      '# Incident report\n\n1. What happened, with times.\n2. Why.\n3. What changes.\n4. Who was told.\n',
    message: 'times, and who was told',
    label: '1.0.0',
  });
  await server.call('PATCH', `/skills/${id}`, {
    files: [
      { path: 'references/old.md', delete: true },
      { path: 'references/example.md', content: 'The same text stays.\n' },
      { path: 'assets/chart.bin', content_base64: 'AAED' },
      { path: 'notes.md', content: 'New.\n' },
    ],
    message: 'tidy up',
  });
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

const read = () => server.call('GET', `/skills/${id}`);

test('the history shows revisions, and what differs between two of them, file by file', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/history`);
  await page.getByText('tidy up').waitFor();
  await page.getByText('times, and who was told').waitFor();
  await page.getByText('1.0.0').waitFor();
  await page.getByRole('heading', { name: 'What changed from 2 to 3' }).waitFor();
  await page.getByText('references/old.md → references/example.md').waitFor();
  await page.getByText('Its content is the same.').waitFor();
  await page.getByText('Not a text: 3 B before, 3 B after.').waitFor();
  await page.getByRole('button', { name: 'notes.md Added' }).waitFor();
  await look(page, 'skill-history');

  await page.getByRole('button', { name: 'Changes of revision 2' }).click();
  await page.getByRole('heading', { name: 'What changed from 1 to 2' }).waitFor();
  expect(new URL(page.url()).search).toBe('?from=1&to=2');
  await page.getByRole('textbox', { name: 'SKILL.md, after' }).getByText('4. Who was told.').waitFor();
  await page.locator('.cm-mergeView').scrollIntoViewIfNeeded();
  await look(page, 'skill-history-diff');

  await page.getByRole('combobox', { name: 'To' }).click();
  await page.getByRole('option', { name: '3' }).click();
  await page.getByRole('heading', { name: 'What changed from 1 to 3' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'What changed from 1 to 3' }).waitFor();
  await leave();
});

test('the first revision is shown with what it began with', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/history`);
  await page.getByRole('button', { name: 'Changes of revision 1' }).click();
  await page.getByRole('heading', { name: 'What revision 1 began with' }).waitFor();
  await page.getByRole('button', { name: 'SKILL.md Added' }).waitFor();
  await leave();
});

test('a label is set, refused where it is no version or taken, and removed', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/history`);
  await page.getByLabel('Actions for revision 3').click();
  await page.getByRole('menuitem', { name: 'Set a label…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Label of revision 3' });
  await dialog.getByLabel('Label').fill('1.0.0');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Another revision of this skill is labelled `1.0.0`').waitFor();
  await look(page, 'skill-history-label');
  await dialog.getByLabel('Label').fill('1.1.0');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expectNotice(page, 'Revision 3 is 1.1.0');
  expect((await read()).shown.label).toBe('1.1.0');
  await page.getByRole('link', { name: 'Revision 3 (1.1.0)' }).waitFor();
  await page.getByLabel('Actions for revision 3').click();
  await page.getByRole('menuitem', { name: 'Change the label…' }).click();
  await page.getByRole('button', { name: 'Remove the label' }).click();
  await expectNotice(page, 'Label removed');
  expect((await read()).shown.label).toBeNull();
  await leave();
});

test('an old revision is downloaded, restored as a new one, and undo restores the former', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${id}/history`);
  await page.getByLabel('Actions for revision 2').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('incident-report-1.0.0.zip');
  await page.getByLabel('Actions for revision 1').click();
  await page.getByRole('menuitem', { name: 'Restore…' }).click();
  await page.getByText('Its files become the new revision 4.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await expectNotice(page, 'Revision 1 is current again, as 4');
  expect((await read()).instructions).toContain('1. What happened.\n');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectNotice(page, 'Undone');
  const after = await read();
  expect(after.revision).toBe(5);
  expect(after.files.map((file: { path: string }) => file.path)).toContain('notes.md');
  await leave();
});
