/** Saving takes nothing away: focus, caret, scroll position, undo history and what is typed meanwhile stay. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectNotice, look, visit } from './browser';
import { ownSkillForEachTest, read, server, skill } from './own-skill';

ownSkillForEachTest();

const editor = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const bar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' });
const long = Array.from({ length: 120 }, (_, line) => `Line ${line + 1}.`).join('\n');

/** Holds the saves of a page until they are let go. */
async function hold(page: Page, path: string, methods = ['PATCH']) {
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route(path, async (route) => {
    if (methods.includes(route.request().method())) await held;
    await route.continue();
  });
  return go;
}

const scrollOf = (page: Page, name: string) =>
  editor(page, name).evaluate((element) => {
    const frame = element.closest('.code-frame') as HTMLElement;
    const scroller = element.closest('.cm-scroller') as HTMLElement;
    return { editor: Math.max(frame.scrollTop, scroller.scrollTop), page: window.scrollY };
  });

test('Ctrl+S in the content editor keeps focus, caret, scroll position and undo history', async () => {
  await server.call('PATCH', `/skills/${skill.id}`, { instructions: `# Steps\n\n${long}\n` });
  const { page, leave } = await visit(server);
  await page.setViewportSize({ width: 1280, height: 600 });
  await page.goto(`/skills/${skill.id}/content`);
  await editor(page, 'SKILL.md').getByText('Line 9.', { exact: true }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  await page.keyboard.type(' one');
  const before = await scrollOf(page, 'SKILL.md');
  expect(before.editor).toBeGreaterThan(500);
  expect(before.page).toBeGreaterThan(0);
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 3');
  await bar(page).waitFor({ state: 'detached' });
  expect(await scrollOf(page, 'SKILL.md')).toEqual(before);
  // `g` and `l` are letters here, not the way to the library.
  await page.keyboard.type(' gl two');
  expect(new URL(page.url()).pathname).toBe(`/skills/${skill.id}/content`);
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 4');
  expect((await read()).instructions).toContain('Line 119. one gl two\n');
  await page.keyboard.press('Control+z');
  await expect.poll(() => editor(page, 'SKILL.md').textContent()).not.toContain('gl two');
  await page.keyboard.press('Control+z');
  await expect.poll(() => editor(page, 'SKILL.md').textContent()).not.toContain('119. one');
  await bar(page).getByText('SKILL.md changed').waitFor();
  await leave();
});

test('what is typed while a save is under way stays and is saved next', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}/content`);
  const go = await hold(page, `**/api/v1/skills/${skill.id}`);
  await editor(page, 'SKILL.md').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('First.');
  await page.keyboard.press('Control+s');
  await bar(page).getByRole('button', { name: 'Save' }).and(page.locator('[data-loading]')).waitFor();
  await page.keyboard.type(' Second.');
  go();
  await expectNotice(page, 'Saved as revision 2');
  await page.keyboard.type(' Third.');
  expect((await read()).instructions).toMatch(/First\.$/);
  await bar(page).getByText('SKILL.md changed').waitFor();
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 3');
  expect((await read()).instructions).toContain('First. Second. Third.');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await leave();
});

test('a new file and a renamed one stay open with their caret when they are saved', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}/content`);
  await page.getByRole('button', { name: 'New file' }).click();
  await page.getByLabel('Path').fill('notes.md');
  await page.getByRole('button', { name: 'Add' }).click();
  await editor(page, 'notes.md').click();
  await page.keyboard.type('One.');
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 2');
  await page.keyboard.type(' Two.');
  await page.getByLabel('Actions for notes.md').click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await page.getByLabel('Path').fill('more.md');
  await page.getByRole('button', { name: 'Rename' }).click();
  await editor(page, 'more.md').focus();
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 3');
  await page.keyboard.type(' Three.');
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 4');
  const { files } = await read();
  expect(files.map(({ path }: { path: string }) => path)).toContain('more.md');
  expect(await editor(page, 'more.md').textContent()).toBe('One. Two. Three.');
  await page.keyboard.press('Control+z');
  await expect.poll(() => editor(page, 'more.md').textContent()).toBe('One. Two.');
  await leave();
});

test('the save button and the message give the keyboard back to the editor', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}/content`);
  await editor(page, 'SKILL.md').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('One.');
  await bar(page).getByLabel('What changed, and why (optional)').fill('more');
  await page.keyboard.press('Enter');
  await expectNotice(page, 'Saved as revision 2');
  await bar(page).waitFor({ state: 'detached' });
  await page.keyboard.type(' Two.');
  await bar(page).getByRole('button', { name: 'Save' }).click();
  await expectNotice(page, 'Saved as revision 3');
  expect((await read()).instructions).toContain('One. Two.');
  await leave();
});

test('Ctrl+S in the code editor goes on editing', async () => {
  await server.call('PATCH', `/skills/${skill.id}`, {
    procedure: { language: 'python', code: 'def run():\n    return 1\n', function: 'run' },
  });
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}/code`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const code = editor(page, 'Code of scripts/main.py');
  await code.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# one');
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 3');
  await bar(page).waitFor({ state: 'detached' });
  await page.keyboard.type(' gl two');
  await bar(page).waitFor();
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 4');
  expect(await code.textContent()).toContain('# one gl two');
  await page.keyboard.press('Control+z');
  await expect.poll(() => code.textContent()).not.toContain('two');
  await leave();
});

test('Ctrl+S in the policy editor keeps the caret, and what is typed meanwhile', async () => {
  await server.call('PATCH', `/skills/${skill.id}`, {
    files: [{ path: 'repertoire.yaml', content: 'policy:\n  activation:\n    always: true\n' }],
  });
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}/policy`);
  await page.getByText('Source', { exact: true }).click();
  const source = editor(page, 'Policy, as it stands in repertoire.yaml');
  await source.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# one');
  const go = await hold(page, `**/api/v1/skills/${skill.id}`);
  await page.keyboard.press('Control+s');
  await page.keyboard.type(' two');
  go();
  await expectNotice(page, 'Saved as revision 3');
  await page.keyboard.type(' three');
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 4');
  expect(await source.textContent()).toContain('# one two three');
  await leave();
});

test('Ctrl+S in a form keeps the field and what is typed meanwhile', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  const go = await hold(page, `**/api/v1/skills/${skill.id}`);
  await page.getByLabel('Description').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' One.');
  await page.keyboard.press('Control+s');
  await page.keyboard.type(' Two.');
  go();
  await expectNotice(page, 'Saved as revision 2');
  await page.keyboard.type(' gl');
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 3');
  expect((await read()).description).toMatch(/ One\. Two\. gl$/);
  await leave();
});

test('Ctrl+S in an agent keeps the field and what is typed meanwhile', async () => {
  const agent = await server.call('POST', '/agents', { name: `agent-${Date.now()}`, title: 'Writer' });
  const { page, leave } = await visit(server);
  await page.goto(`/agents/${agent.id}?tab=discovery`);
  const field = page.getByLabel(/Token budget/i).first();
  await field.fill('2100');
  const go = await hold(page, `**/api/v1/agents/${agent.id}`, ['PUT']);
  await page.keyboard.press('Control+s');
  await page.keyboard.press('End');
  await page.keyboard.type('5');
  go();
  await expectNotice(page, 'Saved');
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await bar(page).getByRole('button', { name: 'Save' }).click();
  await bar(page).waitFor({ state: 'detached' });
  expect((await server.call('GET', `/agents/${agent.id}`)).discovery_token_budget).toBe(21005);
  await leave();
});

test('a failed save is announced in the save bar, where it is in view', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}/content`);
  await page.route(`**/api/v1/skills/${skill.id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    const detail = 'the disk is full; free some space and retry';
    await route.fulfill({ status: 503, json: { code: 'unavailable', status: 503, detail } });
  });
  await editor(page, 'SKILL.md').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('One.');
  await page.keyboard.press('Control+s');
  const alert = bar(page).getByRole('alert');
  await alert.getByText('The disk is full; free some space and retry').waitFor();
  // In view, and nothing lies over it.
  expect(
    await alert.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const above = document.elementFromPoint(left + width / 2, top + height / 2);
      return top >= 0 && top + height <= innerHeight && element.contains(above);
    }),
  ).toBe(true);
  await look(page, 'save-failed');
  await page.unroute(`**/api/v1/skills/${skill.id}`);
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 2');
  await leave();
});
