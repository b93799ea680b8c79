import { expect, test } from 'vitest';
import { expectNotice, look, visit } from './browser';
import { count, ownSkillForEachTest, read, server, skill } from './own-skill';
import { seedOne } from './seeds';

ownSkillForEachTest();

test('the page of a skill says what it is, and its tabs have addresses', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  await page.getByRole('heading', { name: 'Release notes', level: 1 }).waitFor();
  await page.getByText(skill.name, { exact: true }).first().waitFor();
  await page.getByText('Active', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Revision 1' }).waitFor();
  const tabs = page.getByRole('navigation', { name: 'Parts of the skill' });
  expect(await tabs.getByRole('link').allTextContents()).toEqual([
    'Info',
    'Content',
    'Code',
    'Policy',
    'History',
    'Usage',
    'Sync',
  ]);
  await look(page, 'skill-info');
  await tabs.getByRole('link', { name: 'Sync' }).click();
  await page.getByText('No provider connection is configured in this installation').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/skills/${skill.id}/sync`);
  expect(await tabs.getByRole('link', { name: 'Sync' }).getAttribute('aria-current')).toBe('page');
  expect(await page.getByRole('columnheader').allTextContents()).toEqual([
    'Connection',
    'Provider',
    'Status',
    'Last synced',
    'Error',
    'Sync',
  ]);
  await page.getByText(`skill://${skill.name}/SKILL.md`).waitFor();
  await look(page, 'skill-sync');
  await leave();
});

test('an id that means nothing gets a clear page', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills/01990000-0000-7000-8000-000000000000/content');
  await page.getByText('This skill is not here').waitFor();
  await look(page, 'skill-gone');
  await page.getByRole('link', { name: 'Go to the library' }).click();
  await page.waitForURL('**/skills');
  await leave();
});

test('the form saves only what changed, as a revision, with Ctrl-S', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  const before = await read();
  await page.getByLabel('Description').fill('Writes release notes that people read.');
  await page.getByRole('button', { name: 'Icon 🚀: change' }).click();
  await page.getByLabel('Find an icon').fill('megaphone');
  await page.getByRole('button', { name: /megaphone/ }).click();
  const tags = page.getByRole('combobox', { name: 'Tags' });
  await tags.fill('news');
  await tags.press('Enter');
  await page.getByLabel('Example prompts').fill('Write the release notes\nWhat is new in 2.5?');
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await bar.getByText('4 unsaved changes').waitFor();
  await look(page, 'skill-info-changed');
  await bar.getByLabel('What changed, and why (optional)').fill('say it better');
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 2');
  await bar.waitFor({ state: 'hidden' });
  const after = await read();
  expect(after.description).toBe('Writes release notes that people read.');
  expect(after.icon).toBe('📣');
  expect(after.tags.sort()).toEqual(['news', 'release', 'writing']);
  expect(after.example_prompts).toEqual(['Write the release notes', 'What is new in 2.5?']);
  expect(after.shown.message).toBe('say it better');
  expect(after.instructions).toBe(before.instructions);
  await leave();
});

test('what the server refuses stands beside the field, and nothing typed is lost', async () => {
  const { page, leave } = await visit(server);
  const other = await seedOne(server, `taken-${count}`);
  await page.goto(`/skills/${skill.id}`);
  await page.getByLabel('Name', { exact: false }).first().waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill(other.name);
  await page.getByRole('button', { name: 'Save' }).click();
  const taken = `There is a skill \`${other.name}\` in the workspace scope already`;
  // At the field, and in the bar, which is always in view.
  await page.getByText(taken).first().waitFor();
  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('alert').getByText(taken).waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(other.name);
  await page.getByRole('textbox', { name: 'Name' }).fill('---');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The name `---` has a hyphen at an end or two in a row').first().waitFor();
  await look(page, 'skill-info-refused');
  await page.getByRole('textbox', { name: 'Name' }).fill('');
  await page.getByText('A name is needed').waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Discard' }).click();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(skill.name);
  expect((await read()).revision).toBe(1);
  await leave();
});

test('leaving with unsaved changes asks first', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  await page.getByLabel('Description').fill('Half a thought');
  await page.getByRole('link', { name: 'History', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await page.getByLabel('Description').inputValue()).toBe('Half a thought');
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL('**/history');
  expect((await read()).revision).toBe(1);
  await leave();
});

test('what somebody else saved in between is told, and both changes stay', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  await page.getByLabel('Description').fill('My words');
  await server.call('PATCH', `/skills/${skill.id}`, { tags: ['theirs'], message: 'their tags' });
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Somebody else changed this skill' });
  await dialog.getByText('their tags').waitFor();
  await look(page, 'skill-stale');
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await page.getByLabel('Description').inputValue()).toBe('My words');
  expect((await read()).description).not.toBe('My words');
  await page.getByText('Revision 2 was saved in the meantime').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'Save on top' }).click();
  await expectNotice(page, 'Saved as revision 3');
  const after = await read();
  expect([after.description, after.tags]).toEqual(['My words', ['theirs']]);
  await leave();
});

test('what changes elsewhere shows without a reload', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  await page.getByRole('heading', { name: 'Release notes', level: 1 }).waitFor();
  await server.call('PATCH', `/skills/${skill.id}`, { title: 'Release news', description: 'Fresh words.' });
  await page.getByRole('heading', { name: 'Release news', level: 1 }).waitFor();
  expect(await page.getByLabel('Description').inputValue()).toBe('Fresh words.');
  await page.getByRole('link', { name: 'Revision 2' }).waitFor();
  await page.getByLabel('Description').fill('Mine.');
  await server.call('PATCH', `/skills/${skill.id}`, { description: 'Fresher words.' });
  await page.getByText('Revision 3 was saved in the meantime').waitFor();
  expect(await page.getByLabel('Description').inputValue()).toBe('Mine.');
  await page.getByRole('button', { name: 'Discard' }).click();
  expect(await page.getByLabel('Description').inputValue()).toBe('Fresher words.');
  await leave();
});

test('where both changed the same field the dialog says so', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  await page.getByLabel('Description').fill('My words');
  await server.call('PATCH', `/skills/${skill.id}`, { description: 'Their words' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('You both changed description').waitFor();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('Their words');
  await leave();
});

test('a shared skill is read-only for members, with a word why', async () => {
  const bob = await server.person(`bob-${count}`, ['member'], 'Bob Jones');
  const { page, leave } = await visit(server, bob.token);
  await page.goto(`/skills/${skill.id}`);
  await page.getByText('This skill is shared: reviewers change it.').waitFor();
  expect(await page.getByLabel('Description').isDisabled()).toBe(true);
  expect(await page.getByRole('switch', { name: 'Enabled' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Export as zip' }).waitFor();
  expect(await page.getByRole('menuitem', { name: /Delete|Archive/ }).count()).toBe(0);
  await leave();
});

test('a provider’s skill says so and cannot be changed', async () => {
  const built = await seedOne(server, `pptx-${count}`, { title: 'Slides', origin: 'provider' });
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${built.id}`);
  await page.getByText('Provider', { exact: true }).waitFor();
  await page.getByText('This skill comes with a provider and cannot be changed here.').waitFor();
  expect(await page.getByLabel('Description').isDisabled()).toBe(true);
  await look(page, 'skill-provider');
  await page.getByRole('link', { name: 'Sync', exact: true }).click();
  await page.getByText('it needs no sync').waitFor();
  await leave();
});
