import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, visit } from './browser';
import { Server } from './server';

let server: Server;
let folder: string;

beforeAll(async () => {
  server = await Server.start();
  await server.call('POST', '/agents', { name: 'coder', title: 'Coder' });
  folder = mkdtempSync(join(tmpdir(), 'repertoire-bundle-'));
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
  rmSync(folder, { recursive: true, force: true });
});

const find = async (name: string) => {
  const [found] = (await server.call('GET', `/skills?name=${name}`)).items;
  return server.call('GET', `/skills/${found.id}`);
};

async function write(page: Page, name: string) {
  await page.goto('/skills/new');
  await page.getByLabel('Name', { exact: false }).first().fill(name);
  await page.getByLabel('Description').fill('Makes the monthly report for the board.');
}

test('a skill is written from a template, with a procedure, for one agent, as a draft', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills/new');
  await look(page, 'new-skill');
  await write(page, 'monthly-report');
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'Report' }).click();
  await page.getByText('Preview', { exact: true }).click();
  await page.getByRole('region', { name: 'Preview' }).getByRole('heading', { name: 'Structure' }).waitFor();
  await page.getByRole('switch', { name: 'It also does something: add a procedure' }).press('Space');
  await page.getByLabel('Meaning').fill('What to count');
  await page.getByRole('button', { name: 'More details: title, tags, example prompts' }).click();
  await page.getByLabel('Title').fill('Monthly report');
  await page.getByLabel('Example prompts').fill('Make the report for October\n');
  await page.getByText('Agent', { exact: true }).last().click();
  await page.getByRole('combobox', { name: 'Agent' }).click();
  await page.getByRole('option', { name: 'Coder' }).click();
  await page.getByText('Draft', { exact: true }).click();
  await look(page, 'new-skill-written');
  await page.getByRole('button', { name: 'Create skill' }).click();
  await expectNotice(page, 'Monthly report is kept as a draft');
  await page.getByRole('heading', { name: 'Monthly report', level: 1 }).waitFor();
  const made = await find('monthly-report');
  expect(made).toMatchObject({
    status: 'draft',
    scope: { kind: 'agent' },
    facets: ['instructions', 'procedure'],
    example_prompts: ['Make the report for October'],
  });
  expect(made.procedure.parameters).toMatchObject([
    { name: 'text', type: 'string', description: 'What to count' },
  ]);
  await leave();
});

test('another way, a template or a switch does not throw away what was written', async () => {
  const { page, leave } = await visit(server);
  await write(page, 'kept-as-written');
  await page.locator('.cm-content').first().click();
  await page.keyboard.type('Count the words.');

  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'Report' }).click();
  const replace = page.getByRole('dialog', { name: 'Replace the instructions?' });
  await replace.getByRole('button', { name: 'Cancel' }).click();
  await replace.waitFor({ state: 'hidden' });
  expect(await page.locator('.cm-content').first().textContent()).toBe('Count the words.');
  expect(await page.getByRole('combobox', { name: 'Template' }).inputValue()).toBe('');

  const procedure = page.getByRole('switch', { name: 'It also does something: add a procedure' });
  await procedure.press('Space');
  await page.getByLabel('Meaning').fill('What to count');
  await procedure.press('Space');
  await page.getByLabel('Meaning').waitFor({ state: 'hidden' });
  await procedure.press('Space');
  expect(await page.getByLabel('Meaning').inputValue()).toBe('What to count');

  await page.getByText('Start from code', { exact: true }).click();
  const away = page.getByRole('dialog', { name: 'Leave without saving?' });
  await away.getByRole('button', { name: 'Cancel' }).click();
  await away.waitFor({ state: 'hidden' });
  expect(await page.getByLabel('Name', { exact: false }).first().inputValue()).toBe('kept-as-written');
  await page.getByText('Start from code', { exact: true }).click();
  await away.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('textbox', { name: 'Python' }).waitFor();
  await leave();
});

test('no letter is lost, however fast one types', async () => {
  const { page, leave } = await visit(server);
  await write(page, 'typed-fast');
  const words = 'Read the figures, compare them with last month, and say what changed. '.repeat(6).trim();
  await page.locator('.cm-content').first().click();
  await page.keyboard.type(words);
  await page.keyboard.press('Control+s');
  await page.waitForURL(/\/skills\/[0-9a-f-]{36}/);
  const { instructions } = await find('typed-fast');
  expect(instructions.trim()).toBe(words);
  await leave();
});

test('a name that is taken leads to the skill that has it, and nothing typed is lost', async () => {
  await server.call('POST', '/skills', { name: 'taken', title: 'Taken one', description: 'It was first.' });
  const { page, leave } = await visit(server);
  await write(page, 'taken');
  await page.getByRole('button', { name: 'Create skill' }).click();
  await page
    .getByRole('alert')
    .getByText('There is a skill `taken` in the workspace scope already')
    .waitFor();
  await look(page, 'new-skill-taken');
  expect(await page.getByLabel('Description').inputValue()).toContain('monthly report');
  await page.getByRole('link', { name: 'Open Taken one' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Taken one', level: 1 }).waitFor();
  await leave();
});

test('code tells its name, parameters and purpose', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills/new?from=code');
  await page.getByRole('textbox', { name: 'Python' }).click();
  await page.keyboard.insertText(
    'def compound_interest(principal: float, rate: float = 0.05, years: int = 10) -> float:\n' +
      '    """Computes compound interest on a principal."""\n' +
      '    return round(principal * (1 + rate) ** years, 2)\n',
  );
  await expect
    .poll(() => page.getByLabel('Name', { exact: false }).first().inputValue())
    .toBe('compound-interest');
  expect(await page.getByLabel('Description').inputValue()).toBe(
    'Computes compound interest on a principal.',
  );
  await page.getByText('default 0.05').waitFor();
  await look(page, 'new-skill-code');
  await page.getByRole('button', { name: 'Create skill' }).click();
  await expectNotice(page, 'compound-interest is in the library');
  const made = await find('compound-interest');
  expect(made.procedure).toMatchObject({
    function: 'compound_interest',
    parameters: [
      { name: 'principal', type: 'number' },
      { name: 'rate', type: 'number', default: 0.05 },
      { name: 'years', type: 'integer', default: 10 },
    ],
  });
  await leave();
});

function zip(name: string, files: Record<string, string>): string {
  return join(folder, writeZip(name, files));
}

/** A zip without compression, as small as the format lets it be. */
function writeZip(name: string, files: Record<string, string>): string {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const title = Buffer.from(path);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt32LE(crc32(bytes), 10);
    head.writeUInt32LE(bytes.length, 14);
    head.writeUInt32LE(bytes.length, 18);
    head.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), head, title, bytes]);
    const at = Buffer.alloc(14);
    at.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), head, at, title]));
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(central.length, 4);
  end.writeUInt16LE(central.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  writeFileSync(join(folder, name), Buffer.concat([...parts, list, Buffer.from('PK\x05\x06'), end]));
  return name;
}

function crc32(bytes: Buffer): number {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

const skillFile = (name: string) => `---\nname: ${name}\ndescription: Speaks of ${name}.\n---\n# ${name}\n`;

async function choose(page: Page, files: string | string[]) {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByText('Drop a zip or a skill’s folder here').click({ force: true }),
  ]);
  await chooser.setFiles(files);
}

test('a zip is looked at before it is put in', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills/new?from=bundle');
  await look(page, 'new-skill-bundle');
  await choose(page, zip('weather.zip', { 'weather/SKILL.md': skillFile('weather') }));
  await page.getByText('Nothing to complain about.').waitFor();
  await page.getByText('Claude Code').waitFor();
  expect((await server.call('GET', '/skills?name=weather')).items).toEqual([]);
  await look(page, 'new-skill-bundle-looked');
  await page.getByRole('button', { name: 'Create skill' }).click();
  await expectNotice(page, 'weather is in the library');
  expect((await find('weather')).origin).toBe('imported');
  await leave();
});

test('an archive with several skills says what became of each', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills/new?from=bundle');
  await choose(
    page,
    zip('many.zip', { 'tides/SKILL.md': skillFile('tides'), 'weather/SKILL.md': skillFile('weather') }),
  );
  await page.getByText('The archive holds more than one skill.').waitFor();
  await page.getByRole('button', { name: 'Import all' }).click();
  const results = page.getByRole('status', { name: 'What was imported' });
  await results.getByRole('link', { name: 'tides' }).waitFor();
  await results.getByText('There is a skill `weather`').waitFor();
  await look(page, 'new-skill-imported');
  await leave();
});

test('what is no archive is refused in the server’s words', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills/new?from=bundle');
  writeFileSync(join(folder, 'broken.zip'), 'not a zip');
  await choose(page, join(folder, 'broken.zip'));
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('button', { name: 'Create skill' }).count()).toBe(0);
  await leave();
});

test('a folder’s files are looked at and become a draft', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/skills/new?from=bundle');
  mkdirSync(join(folder, 'glossary'), { recursive: true });
  writeFileSync(join(folder, 'glossary/SKILL.md'), skillFile('glossary'));
  writeFileSync(join(folder, 'glossary/words.md'), 'Words.\n');
  await choose(page, [join(folder, 'glossary/SKILL.md'), join(folder, 'glossary/words.md')]);
  await page.getByText('SKILL.md, words.md').waitFor();
  await page.getByText('Draft', { exact: true }).click();
  await page.getByRole('button', { name: 'Create skill' }).click();
  await expectNotice(page, 'glossary is kept as a draft');
  expect((await find('glossary')).files).toHaveLength(2);
  await leave();
});

test('a member’s skill for everybody waits for a reviewer, and the page says so before', async () => {
  const ann = await server.person('ann', ['member'], 'Ann Smith');
  const { page, leave } = await visit(server, ann.token);
  await write(page, 'team-rules');
  await page.getByText('One person, through any agent.').waitFor();
  await page.getByText('Workspace', { exact: true }).last().click();
  await page.getByText('It is shared, so a reviewer approves it before agents find it.').waitFor();
  await page.getByRole('button', { name: 'Create skill' }).click();
  await expectNotice(page, 'team-rules waits for approval');
  await page.getByText('Agents do not find it until it is approved.').waitFor();
  await leave();
});
