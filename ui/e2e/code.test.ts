/** The Code tab as a person uses it: read, run, try, save, check. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, visit } from './browser';
import { Server } from './server';

let server: Server;
let invoice: { id: string };

const code = `"""Adds up an invoice."""
import json
import sys


def total(customer: str, lines: list, rate: float = 0.19, rounded: bool = True) -> dict:
    print(f"Invoice for {customer}")
    net = 0
    for line in lines:
        print(f"  {line['name']}: {line['price']}")
        net += line["price"]
    if net > 1000:
        print("large invoice: needs a second look", file=sys.stderr)
    with open("invoice.json", "w") as file:
        json.dump({"customer": customer, "net": net}, file)
    gross = net * (1 + rate)
    return {"net": net, "gross": round(gross, 2) if rounded else gross}
`;

const parameters = [
  { name: 'customer', type: 'string', description: 'Who pays' },
  { name: 'lines', type: 'array', description: 'What was sold, each with name and price' },
  { name: 'rate', type: 'number', default: 0.19, description: 'The tax rate' },
  { name: 'rounded', type: 'boolean', default: true },
];

const lines = [
  { name: 'Chair', price: 400 },
  { name: 'Desk', price: 700 },
];

async function skillOf(name: string, title: string, procedure: object | undefined, more: object = {}) {
  const made = await server.call('POST', '/skills', {
    name,
    title,
    description: `${title}. For the tests of the app.`,
    instructions: 'Run the procedure.',
    procedure,
    ...more,
  });
  return made.skill as { id: string };
}

beforeAll(async () => {
  server = await Server.start();
  invoice = await skillOf('invoice-total', 'Invoice total', { code, function: 'total', parameters });
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

const runsOf = async (id: string) => (await server.call('GET', `/skills/${id}/runs`)).items;

test('a run shows output, result, files and what it used, and is remembered', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${invoice.id}/code`);
  await page.getByRole('textbox', { name: 'Code of scripts/main.py' }).waitFor();

  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('This is needed').first().waitFor();
  expect(await runsOf(invoice.id)).toHaveLength(0);

  await field(page, 'customer').fill('Ada Byron');
  await field(page, 'lines').fill('[1');
  await page.getByText('Not JSON').waitFor();
  await field(page, 'lines').fill(JSON.stringify(lines));
  await page.getByRole('button', { name: 'Run', exact: true }).click();

  const outcome = page.getByRole('region', { name: 'Outcome' });
  await outcome.getByText('Succeeded').waitFor();
  await outcome.getByText('"gross": 1309').waitFor();
  await outcome.getByText('Invoice for Ada Byron').waitFor();
  const warned = outcome.locator('[data-stream="stderr"]');
  expect(await warned.textContent()).toContain('large invoice: needs a second look');
  await outcome.getByText('of memory').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    outcome.getByRole('button', { name: 'Download invoice.json' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('invoice.json');
  await look(page, 'code-run');

  const runs = await runsOf(invoice.id);
  expect(runs).toHaveLength(1);
  expect(runs[0].parameters).toMatchObject({ customer: 'Ada Byron', lines });
  await page
    .getByRole('button', { name: /Fill the form with/ })
    .first()
    .waitFor();
  await leave();
});

test('what was typed stays, can be seen as JSON, and a former run fills the form', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${invoice.id}/code`);
  await field(page, 'customer').fill('Grace Hopper');
  await page.reload();
  await expect.poll(() => field(page, 'customer').inputValue()).toBe('Grace Hopper');

  await page.getByRole('switch', { name: 'As JSON' }).click({ force: true });
  const json = page.getByLabel('Parameters as JSON');
  expect(JSON.parse(await json.inputValue())).toMatchObject({ customer: 'Grace Hopper', rate: 0.19 });
  await json.fill(JSON.stringify({ customer: 'Grace Hopper', lines: [], rate: 0.07 }));
  await page.getByRole('switch', { name: 'As JSON' }).click({ force: true });
  expect(await field(page, 'rate').inputValue()).toBe('0.07');

  await page.getByRole('switch', { name: 'As JSON' }).click({ force: true });
  await page
    .getByRole('button', { name: /Fill the form with.*Ada Byron/ })
    .first()
    .click();
  await expect.poll(() => json.inputValue()).toContain('Ada Byron');
  await page.getByRole('switch', { name: 'As JSON' }).click({ force: true });
  expect(await field(page, 'customer').inputValue()).toBe('Ada Byron');
  expect(await field(page, 'rate').inputValue()).toBe('0.19');
  await leave();
});

test('an error is told with its line and traceback, and marked in the code', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${invoice.id}/code`);
  await field(page, 'customer').fill('Ada Byron');
  await field(page, 'lines').fill('[{"name": "Chair"}]');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const outcome = page.getByRole('region', { name: 'Outcome' });
  await outcome.getByText('The code raised an error, line 10').waitFor();
  await outcome.getByText('KeyError').first().waitFor();
  await outcome.getByRole('group', { name: 'Traceback' }).waitFor();
  await page.locator('.cm-lint-marker-error').waitFor();
  await look(page, 'code-error');
  await leave();
});

test('unsaved code is tried without being counted, then saved as a revision', async () => {
  const { page, leave } = await visit(server);
  const before = (await runsOf(invoice.id)).length;
  await page.goto(`/skills/${invoice.id}/code`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const editor = page.getByRole('textbox', { name: 'Code of scripts/main.py' });
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n# reviewed by the finance team');
  await page.getByRole('button', { name: 'Add parameter' }).click();
  await page.getByLabel('Name of parameter 5').fill('customer');
  await page.getByText('There is one of this name above').waitFor();
  await page.getByText('A parameter needs another name').waitFor();
  await page.getByLabel('Name of parameter 5').fill('currency');
  await page.getByRole('button', { name: 'Remove parameter 5' }).click();
  await page.getByLabel('Default of parameter 3').fill('0.2');
  await page.getByLabel('Meaning of parameter 4').fill('Whether cents are rounded');
  await look(page, 'code-edit');

  await field(page, 'customer').fill('Ada Byron');
  await field(page, 'lines').fill(JSON.stringify(lines));
  const written = await editor.locator('.cm-line').count();
  await editor.press('Control+Enter');
  const outcome = page.getByRole('region', { name: 'Outcome' });
  await outcome.getByText('A try: not counted').waitFor();
  await outcome.getByText('"net": 1100').waitFor();
  expect(await editor.locator('.cm-line').count()).toBe(written);
  expect(await runsOf(invoice.id)).toHaveLength(before);

  await page.getByRole('link', { name: 'Info' }).click();
  await page.getByText('Leave without saving?').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel('What changed').fill('Reviewed, and the new tax rate');
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 2');
  const saved = await server.call('GET', `/skills/${invoice.id}`);
  expect(saved.procedure.parameters[2]).toMatchObject({ name: 'rate', default: 0.2 });
  expect(saved.shown.message).toBe('Reviewed, and the new tax rate');
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  await leave();
});

test('somebody else saved meanwhile: nothing is lost, and the person decides', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${invoice.id}/code`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Code of scripts/main.py' }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n# mine');
  await server.call('PATCH', `/skills/${invoice.id}`, { description: 'Adds up an invoice, with tax.' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Somebody else changed this skill').waitFor();
  await page.getByRole('button', { name: 'Save on top' }).click();
  await expectNotice(page, 'Saved as revision 4');
  const now = await server.call('GET', `/skills/${invoice.id}`);
  expect(now.description).toBe('Adds up an invoice, with tax.');
  await leave();
});

test('a skill that does not repeat is found out', async () => {
  const dice = await skillOf('roll-dice', 'Roll dice', {
    code: 'import time\n\ndef roll():\n    return time.time_ns() % 1000003\n',
    function: 'roll',
  });
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${dice.id}/code`);
  await page.getByText('It takes no parameters.').waitFor();
  await page.getByRole('button', { name: 'Check that it repeats' }).click();
  await page.getByText('It does not repeat').waitFor();
  expect(await runsOf(dice.id)).toHaveLength(5);
  await leave();

  await server.call('POST', `/skills/${invoice.id}/runs`, {
    parameters: { customer: 'Mary Somerville', lines },
  });
  const again = await visit(server);
  await again.page.goto(`/skills/${invoice.id}/code`);
  await again.page
    .getByRole('button', { name: /Fill the form with.*Mary Somerville/ })
    .last()
    .click();
  await again.page.getByRole('button', { name: 'Check that it repeats' }).click();
  await again.page.getByText('It repeats').waitFor();
  await again.leave();
});

test('live output comes while it runs, and Stop ends it', async () => {
  const slow = await skillOf('count-slowly', 'Count slowly', {
    code: 'import time\n\ndef count():\n    for number in range(600):\n        print("tick", number)\n        time.sleep(0.1)\n',
    function: 'count',
  });
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${slow.id}/code`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const outcome = page.getByRole('region', { name: 'Outcome' });
  await outcome.getByText('tick 3').waitFor();
  await outcome.getByText('Running').waitFor();
  await look(page, 'code-running');
  await page.getByRole('button', { name: 'Stop' }).click();
  await outcome.getByText('You stopped it').waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  await expect.poll(async () => (await server.call('GET', '/sandbox')).running, { timeout: 10_000 }).toBe(0);
  await leave();
});

test('a limit that was hit is told in plain words', async () => {
  const endless = await skillOf('wait-forever', 'Wait forever', {
    code: 'import time\n\ndef wait():\n    time.sleep(60)\n',
    function: 'wait',
    limits: { wall_ms: 300 },
  });
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${endless.id}/code`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('It took longer than it may, and was ended.').waitFor();
  await leave();
});

test('a skill without a procedure teaches what one is, and gets one', async () => {
  const notes = await skillOf('meeting-notes', 'Meeting notes', undefined);
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${notes.id}/code`);
  await page.getByText('This skill has no procedure').waitFor();
  await look(page, 'code-none');
  await page.getByRole('button', { name: 'Add a procedure' }).click();
  await field(page, 'name').fill('Ada');
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await page.getByText('Hello, Ada!').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectNotice(page, 'Saved as revision 2');
  expect((await server.call('GET', `/skills/${notes.id}`)).procedure.function).toBe('run');
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  await leave();
});

test('a draft is only tried, and a member who may not change it reads it', async () => {
  const draft = await skillOf(
    'draft-total',
    'Draft total',
    { code, function: 'total', parameters },
    { draft: true },
  );
  const owner = await visit(server);
  await owner.page.goto(`/skills/${draft.id}/code`);
  await owner.page.getByText('Only active skills run').waitFor();
  await owner.page.getByRole('button', { name: 'Try', exact: true }).waitFor();
  expect(await owner.page.getByRole('button', { name: 'Run', exact: true }).count()).toBe(0);
  await owner.leave();

  const ada = await server.person('ada', ['member'], 'Ada Byron');
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/skills/${invoice.id}/code`);
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  await page.getByText('reviewers change it').first().waitFor();
  expect(await page.getByRole('button', { name: 'Edit', exact: true }).count()).toBe(0);
  await leave();
});
