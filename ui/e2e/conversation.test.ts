/** Conversations: code and commands without a model, and reading what agents did. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, phone, settle, visit } from './browser';
import { box, card, conversationsOf, interest, save, say, use } from './conversations';
import { Server } from './server';

let server: Server;
let ada: Awaited<ReturnType<Server['person']>>;
let rita: Awaited<ReturnType<Server['person']>>;
let through: ReturnType<typeof conversationsOf>['through'];
let conversation: ReturnType<typeof conversationsOf>['conversation'];

beforeAll(async () => {
  server = await Server.start();
  ada = await server.person('ada', ['member'], 'Ada Lang');
  rita = await server.person('rita', ['reviewer'], 'Rita Roe');
  ({ through, conversation } = conversationsOf(server, ada));
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

test('without a model a person runs code, saves it as a skill, finds it and uses it', async () => {
  const { page, leave } = await visit(server);
  await page.goto('/conversations');
  await page.getByText('No conversations yet').waitFor();
  await look(page, 'conversations-empty');
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New conversation' });
  await dialog.getByText('No agent with procedural memory yet').waitFor();
  await look(page, 'conversation-new');
  await dialog.getByRole('button', { name: 'Make an agent with memory' }).click();
  await expectNotice(page, 'Agent made: Assistant');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.getByText('Write some Python, or a command').waitFor();
  await look(page, 'conversation-beginning');

  await say(page, `${interest}compound_interest(1000, 0.05)`);
  const ran = page.getByRole('region', { name: 'Ran code' });
  await ran.getByText('1628.89').waitFor();
  await say(page, '/save compound_interest Calculates compound interest for a principal and a rate');
  const saved = card(page, 'Skill Saved: compound_interest');
  await saved.getByText('Click to review the code').waitFor();
  await saved.getByRole('button', { name: 'View Code' }).waitFor();
  await saved.getByRole('img', { name: 'Wrench' }).waitFor();
  await say(page, '/search compound interest for a principal');
  await page.getByRole('button', { name: 'Use compound_interest' }).click();
  expect(await box(page).inputValue()).toBe('/use compound_interest principal= rate=');
  await say(page, '/use compound_interest principal=2000 rate=0.05 years=1');
  const used = card(page, 'Skill Used: compound_interest');
  await used.getByRole('img', { name: 'Lightning' }).waitFor();
  await page.getByRole('region', { name: 'Used compound_interest' }).getByText('2100').waitFor();
  // Saved and used ones look different.
  const look1 = await saved.evaluate((element) => getComputedStyle(element).borderLeftColor);
  expect(await used.evaluate((element) => getComputedStyle(element).borderLeftColor)).not.toBe(look1);
  await look(page, 'conversation-skills');
  // The page shows what the server kept.
  await page.reload();
  await card(page, 'Skill Used: compound_interest').waitFor();
  await page.getByRole('heading', { name: 'def compound_interest', level: 1 }).waitFor();
  const skills = await server.call('GET', '/skills?name=compound-interest');
  expect(skills.items[0]).toMatchObject({ origin: 'agent', status: 'active', scope: { kind: 'agent_user' } });
  await leave();
});

test('commands complete themselves, and what was written comes back with the arrow', async () => {
  const talk = await conversation();
  await talk.interpret(save);
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/conversations/${talk.id}`);
  await box(page).pressSequentially('/u');
  await page.getByRole('option', { name: /\/use/ }).waitFor();
  await box(page).press('Enter');
  await page.getByRole('option', { name: /compound-interest/ }).waitFor();
  await look(page, 'conversation-commands');
  await box(page).pressSequentially('comp');
  await box(page).press('Tab');
  expect(await box(page).inputValue()).toBe('/use compound-interest ');
  await page.getByText('It takes principal: number, rate: number, years: integer = 10').waitFor();
  await box(page).pressSequentially('principal=100 rate=1 years=1');
  await box(page).press('Enter');
  await page
    .getByRole('region', { name: 'Used compound-interest' })
    .getByLabel('Result')
    .getByText('200')
    .waitFor();
  await box(page).press('ArrowUp');
  expect(await box(page).inputValue()).toContain('/use compound-interest {"principal":100');
  await box(page).press('ArrowDown');
  expect(await box(page).inputValue()).toBe('');
  // The list of skills is an answer too.
  await say(page, '/skills');
  await page.getByRole('log').getByText('These skills can be used here:').waitFor();
  await page.getByRole('log').getByText('compound-interest', { exact: true }).first().waitFor();
  await say(page, '/help');
  await page.getByRole('region', { name: 'Commands' }).waitFor();
  await say(page, '/frobnicate');
  await page.getByText('There is no command /frobnicate.', { exact: false }).waitFor();
  expect(await box(page).inputValue()).toBe('/frobnicate');
  expect(await page.getByRole('radio', { name: /Ask/ }).isDisabled()).toBe(true);
  await leave();
});

test('errors name their line, files are downloaded, and saving asks for what is missing', async () => {
  const talk = await conversation();
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/conversations/${talk.id}`);
  await say(page, 'x = 1\nx / 0');
  await page.getByText('It failed in line 2').waitFor();
  await page.getByText('ZeroDivisionError', { exact: false }).first().waitFor();
  await say(page, 'what is the time');
  await page.getByText('Text without a slash is run as Python.', { exact: false }).waitFor();
  await say(page, "open('rates.csv', 'w').write('2026,0.05')");
  const ran = page.getByRole('region', { name: 'Ran code' }).last();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    ran.getByRole('button', { name: /rates.csv.*download/ }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('rates.csv');
  // The next call works with the same files.
  await say(page, "open('rates.csv').read()");
  await page
    .getByRole('region', { name: 'Ran code' })
    .last()
    .getByText('2026,0.05', { exact: true })
    .waitFor();
  await look(page, 'conversation-files');
  // So does one that is sent before the conversation is read again.
  let read = () => {};
  const held = new Promise<void>((resolve) => {
    read = resolve;
  });
  await page.route('**/entries*', async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await say(page, "open('rates.csv').read()[:4]");
  read();
  await page.getByRole('region', { name: 'Ran code' }).last().getByText('2026', { exact: true }).waitFor();
  await page
    .getByRole('region', { name: 'Files' })
    .getByRole('button', { name: /rates.csv.*download/ })
    .waitFor();

  await say(page, '/save');
  const form = page.getByRole('dialog', { name: 'Save as a skill' });
  expect(await form.getByRole('button', { name: 'Save skill' }).isDisabled()).toBe(true);
  await form.getByLabel('Name').fill('read_rates');
  await form.getByLabel('Description').fill('Reads the interest rates from a file.');
  await look(page, 'conversation-save');
  await form.getByRole('button', { name: 'Save skill' }).click();
  await card(page, 'Skill Saved: read_rates').waitFor();
  expect((await talk.skill('read-rates')).description).toBe('Reads the interest rates from a file.');
  await leave();
});

test('an agent without memory runs code and shows no skill', async () => {
  await server.call('POST', '/agents', { name: 'plain', title: 'Plain' });
  const session = await through('plain', 'POST', '/sessions', { title: 'No memory' });
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/conversations/${session.id}`);
  await page.getByText('The memory of this conversation’s agent is off', { exact: false }).waitFor();
  await say(page, '6 * 7');
  await page.getByRole('region', { name: 'Ran code' }).getByLabel('Result').getByText('42').waitFor();
  await say(page, '/search tax');
  await page.getByText('it runs code, and knows no skills.', { exact: false }).waitFor();
  expect(await page.getByRole('region', { name: /^Skill / }).count()).toBe(0);
  await leave();
});

test('what an agent does elsewhere is read: messages, calls, tasks', async () => {
  const talk = await conversation();
  await through(talk.agent, 'POST', `/sessions/${talk.id}/entries`, {
    entries: [
      { kind: 'message', role: 'user', text: 'What will **1,000 CHF** be in ten years at 5 %?' },
      { kind: 'message', role: 'assistant', text: 'I look for a skill first.' },
      { kind: 'tool_call', tool: 'web_search', call_id: 'w1', data: { query: 'interest rates 2026' } },
      { kind: 'tool_result', tool: 'web_search', call_id: 'w1', text: 'SNB: 0.5 %', failed: false },
    ],
  });
  await talk.interpret(save);
  await talk.interpret(use);
  await through(talk.agent, 'PUT', `/sessions/${talk.id}/todos`, {
    todos: [
      { id: '1', content: 'Look for a skill', status: 'completed' },
      { id: '2', content: 'Calculate', status: 'in_progress' },
      { id: '3', content: 'Explain the result', status: 'pending' },
    ],
  });
  await through(talk.agent, 'POST', `/sessions/${talk.id}/entries`, {
    entries: [
      {
        kind: 'message',
        role: 'assistant',
        text: 'I found an existing skill, *compound_interest*. Using it, 1,000 CHF become **1,628.89 CHF**.',
      },
    ],
  });
  const { page, leave } = await visit(server, rita.token);
  await page.goto('/conversations?who=all');
  await page.getByRole('link', { name: new RegExp(talk.title) }).waitFor();
  await look(page, 'conversations');
  await page.getByRole('link', { name: new RegExp(talk.title) }).click();
  await page.getByText('1,628.89 CHF').waitFor();
  await page.getByRole('region', { name: 'Tasks' }).getByText('Explain the result').waitFor();
  // Calls are folded until somebody wants to see them.
  expect(await page.getByText('interest rates 2026').count()).toBe(0);
  await page.getByRole('button', { name: 'Unfold web_search' }).click();
  await page.getByText('interest rates 2026').waitFor();
  // A reviewer reads, and does not write.
  await page.getByText('This is another person’s conversation', { exact: false }).waitFor();
  expect(await box(page).count()).toBe(0);
  await look(page, 'conversation-agent');
  await leave();
});

test('conversations are filtered, renamed, ended and deleted', async () => {
  const talk = await conversation();
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/conversations/${talk.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Title').fill('Pension plan');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'Pension plan', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByRole('dialog').getByText('Abandoned').click();
  await page.getByRole('dialog').getByLabel('Why').fill('Asked somebody else.');
  await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
  await page.getByText('This conversation has ended', { exact: false }).waitFor();
  expect(await server.call('GET', `/sessions/${talk.id}`)).toMatchObject({
    title: 'Pension plan',
    outcome: 'abandoned',
    outcome_reason: 'Asked somebody else.',
  });
  await page.goto('/conversations?outcome=abandoned');
  await page.getByRole('link', { name: /Pension plan/ }).waitFor();
  expect(await page.getByRole('list', { name: 'Conversations' }).getByRole('listitem').count()).toBe(1);
  await page.goto('/conversations?outcome=failed');
  await page.getByText('No conversation fits').waitFor();
  await page.goto(`/conversations/${talk.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expectNotice(page, 'Conversation deleted');
  await expect(server.call('GET', `/sessions/${talk.id}`)).rejects.toThrow('404');
  await page.goto(`/conversations/${talk.id}`);
  await page.getByText('This conversation is not there').waitFor();
  await leave();
});

test('after a dialog the keyboard is where it was', async () => {
  const talk = await conversation();
  const { page, leave } = await visit(server, ada.token);
  const here = () =>
    page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') || document.activeElement?.textContent,
    );
  const shut = async (title: string) => {
    await page.getByRole('dialog', { name: title }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: title }).waitFor({ state: 'detached' });
  };
  await page.goto(`/conversations/${talk.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await shut('Rename');
  await expect.poll(here).toBe('More actions');
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await shut('End this conversation');
  await expect.poll(here).toBe('End');
  await say(page, '/save');
  await shut('Save as a skill');
  await expect.poll(here).toBe('Code or command');
  await page.goto('/conversations');
  await page.getByRole('button', { name: 'New conversation' }).click();
  await shut('New conversation');
  await expect.poll(here).toBe('New conversation');
  await leave();
});

test('what an agent adds elsewhere appears by itself', async () => {
  const talk = await conversation();
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/conversations/${talk.id}`);
  await page.getByRole('status', { name: 'live' }).waitFor();
  await through(talk.agent, 'POST', `/sessions/${talk.id}/entries`, {
    entries: [{ kind: 'message', role: 'assistant', text: 'I have just begun.' }],
  });
  await page.getByRole('log').getByText('I have just begun.').waitFor();
  await talk.interpret(save);
  await card(page, 'Skill Saved: compound_interest').waitFor();
  await leave();
});

test('nothing overflows on a phone', async () => {
  const talk = await conversation();
  await talk.interpret({ code: `print("${'wide '.repeat(60)}")\n"${'x'.repeat(200)}"` });
  await talk.interpret(save);
  const { page, leave } = await visit(server, ada.token);
  await page.setViewportSize(phone);
  await page.goto(`/conversations/${talk.id}`);
  await card(page, 'Skill Saved: compound_interest').waitFor();
  await settle(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
  expect((await box(page).boundingBox())?.height).toBeLessThan(90);
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('dialog', { name: 'Details' }).getByText('my-agent').waitFor();
  await leave();
});
