/** The Usage tab: numbers, charts, runs and what people say. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, visit } from './browser';
import { Server } from './server';

let server: Server;
let convert: { id: string };

const code = `def convert(amount: float, rate: float) -> float:
    if rate <= 0:
        raise ValueError("a rate is greater than zero")
    return round(amount * rate, 2)
`;

beforeAll(async () => {
  server = await Server.start();
  const made = await server.call('POST', '/skills', {
    name: 'convert-currency',
    title: 'Convert currency',
    description: 'Converts an amount by a rate.',
    instructions: 'Run it with the rate of the day.',
    procedure: {
      code,
      function: 'convert',
      parameters: [
        { name: 'amount', type: 'number' },
        { name: 'rate', type: 'number' },
      ],
    },
  });
  convert = made.skill;
  const run = (amount: number, rate: number) =>
    server.call('POST', `/skills/${convert.id}/runs`, { parameters: { amount, rate } });
  for (let amount = 1; amount <= 6; amount += 1) await run(amount * 10, 1.1);
  await run(10, 0);
  await server.call('PATCH', `/skills/${convert.id}`, {
    procedure: {
      code: `${code}\n# rounded to cents\n`,
      function: 'convert',
      parameters: made.skill.procedure?.parameters ?? [
        { name: 'amount', type: 'number' },
        { name: 'rate', type: 'number' },
      ],
    },
    message: 'A note on rounding',
  });
  await run(25, 1.2);
  const grace = await server.person('grace', ['member'], 'Grace Hopper');
  await server.call(
    'POST',
    `/skills/${convert.id}/feedback`,
    { helpful: true, comment: 'Saves me the look-up.' },
    grace.token,
  );
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

test('counts, charts, revisions and runs are those of the server', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${convert.id}/usage`);
  await page.getByText('8 times').waitFor();
  await page.getByText('88%').first().waitFor();
  await page.getByRole('heading', { name: 'Runs by day' }).waitFor();
  await page.locator('.recharts-bar-rectangle').first().waitFor();
  const rows = page.getByRole('row');
  await rows.nth(2).waitFor();
  expect(await rows.nth(1).textContent()).toContain('100%');
  expect(await rows.nth(2).textContent()).toContain('7, 1 failed');
  await look(page, 'usage');

  const runs = page.getByRole('list', { name: 'Runs' }).getByRole('listitem');
  expect(await runs.count()).toBe(8);
  await page.getByText('Failed', { exact: true }).last().click();
  await expect.poll(() => runs.count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('status')).toBe('failed');
  await runs.first().getByRole('button').click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('The code raised an error, line 3').waitFor();
  await drawer.getByText('a rate is greater than zero').waitFor();
  await look(page, 'usage-run');
  await page.reload();
  await drawer.getByText('a rate is greater than zero').waitFor();
  await leave();
});

test('feedback is given, changed and shown', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${convert.id}/usage`);
  await page.getByText('Saves me the look-up.').waitFor();
  await page.getByLabel('Comment').fill('The rate should have a default.');
  await page.getByRole('button', { name: 'Not helpful' }).click();
  await expectNotice(page, 'your feedback is kept');
  await page.getByText('1 yes, 1 no').waitFor();
  await page.getByRole('button', { name: 'Helpful', exact: true }).click();
  await page.getByText('2 yes, 0 no').waitFor();
  const { items } = await server.call('GET', `/skills/${convert.id}/feedback`);
  expect(items).toHaveLength(2);
  await leave();
});

test('a skill that was never used says what would be here', async () => {
  const { skill } = await server.call('POST', '/skills', {
    name: 'release-notes',
    description: 'How release notes are written here.',
    instructions: 'Begin with what changed for people.',
  });
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}/usage`);
  await page.getByText('No runs to show yet').waitFor();
  await look(page, 'usage-none');
  await leave();
});
