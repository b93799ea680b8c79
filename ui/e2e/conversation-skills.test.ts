/** What a person decides about skills from a conversation: cards, proposals and the review of saved and used ones. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, visit } from './browser';
import { card, conversationsOf, interest, save, say, use } from './conversations';
import { Server } from './server';

let server: Server;
let ada: Awaited<ReturnType<Server['person']>>;
let through: ReturnType<typeof conversationsOf>['through'];
let conversation: ReturnType<typeof conversationsOf>['conversation'];

beforeAll(async () => {
  server = await Server.start();
  ada = await server.person('ada', ['member'], 'Ada Lang');
  ({ through, conversation } = conversationsOf(server, ada));
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

test('a saved skill is reviewed with its code and parameters, and approved', async () => {
  const talk = await conversation({ require_skill_approval: true });
  await talk.interpret(save);
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/conversations/${talk.id}`);
  await card(page, 'Skill Saved: compound_interest').getByRole('button', { name: 'View Code' }).click();
  const modal = page.getByRole('dialog', { name: 'compound_interest', exact: true });
  await modal
    .getByText('Calculates compound interest for a principal, a rate and a number of years.')
    .first()
    .waitFor();
  const code = modal.getByLabel('Code of compound-interest');
  await code.getByText('def').first().waitFor();
  expect(await code.getAttribute('aria-readonly')).toBe('true');
  // Highlighted: a keyword has a colour of its own.
  const colours = await code.evaluate((element) =>
    [...element.querySelectorAll('.cm-line span')].map((span) => getComputedStyle(span).color),
  );
  expect(new Set(colours).size).toBeGreaterThan(2);
  await modal.getByRole('row', { name: /principal number What is put in/ }).waitFor();
  // Statistics are told of used skills only.
  expect(await modal.getByText(/success rate/).count()).toBe(0);
  await look(page, 'conversation-review-saved');
  await modal.getByRole('button', { name: 'Approve' }).click();
  await expectNotice(page, 'Skill approved and ready to use');
  await modal.waitFor({ state: 'detached' });
  expect((await talk.skill('compound-interest')).status).toBe('active');
  await leave();
});

test('rejecting a saved skill asks first, and removes it', async () => {
  const talk = await conversation({ require_skill_approval: true });
  await talk.interpret(save);
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/conversations/${talk.id}`);
  await card(page, 'Skill Saved: compound_interest').getByRole('button', { name: 'View Code' }).click();
  const modal = page.getByRole('dialog', { name: 'compound_interest', exact: true });
  await modal.getByRole('button', { name: 'Reject' }).click();
  const question = page.getByRole('dialog', { name: 'Reject “compound_interest”?' });
  await look(page, 'conversation-reject');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect((await talk.skill('compound-interest')).status).toBe('pending_approval');
  await modal.getByRole('button', { name: 'Reject' }).click();
  await question.getByRole('button', { name: 'Reject' }).click();
  await expectNotice(page, 'Skill rejected and removed');
  expect(await talk.skill('compound-interest')).toBeUndefined();
  await leave();
});

test('a used skill tells how it does, and is kept or removed', async () => {
  const talk = await conversation();
  await talk.interpret(save);
  await talk.interpret(use);
  const { id } = await talk.skill('compound-interest');
  for (let at = 0; at < 47; at++)
    await server.call('POST', `/skills/${id}/uses`, { success: at > 0 }, ada.token);
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/conversations/${talk.id}`);
  const view = card(page, 'Skill Used: compound_interest').getByRole('button', { name: 'View Code' });
  await view.click();
  const modal = page.getByRole('dialog', { name: 'compound_interest', exact: true });
  await modal.getByText('Status: Active | Used 48 times | 98% success rate', { exact: true }).waitFor();
  await look(page, 'conversation-review-used');
  await modal.getByRole('button', { name: 'Keep Skill' }).click();
  await expectNotice(page, 'Skill will continue to be used');
  await view.click();
  await modal.getByRole('button', { name: 'Remove Skill' }).click();
  await page
    .getByRole('dialog', { name: 'Remove “compound_interest”?' })
    .getByRole('button', { name: 'Remove' })
    .click();
  await expectNotice(page, 'Skill removed - agent will generate new code next time');
  expect(await talk.skill('compound-interest')).toBeUndefined();
  // What is already removed is said to be, and still shown as the conversation knew it.
  await view.click();
  await modal.getByText('This skill was already removed').waitFor();
  expect(await modal.getByRole('button', { name: 'Keep Skill' }).count()).toBe(0);
  await modal.getByLabel('Code of compound_interest').waitFor();
  await look(page, 'conversation-removed');
  await leave();
});

test('where the workspace keeps what was removed for a while, a removal is taken back', async () => {
  const talk = await conversation();
  await talk.interpret(save);
  await talk.interpret(use);
  await server.call('PATCH', '/workspace', { undelete_window_hours: 24 });
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/conversations/${talk.id}`);
  await card(page, 'Skill Used: compound_interest').getByRole('button', { name: 'View Code' }).click();
  await page.getByRole('button', { name: 'Remove Skill' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expectNotice(page, 'Skill removed - agent will generate new code next time');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectNotice(page, 'Undone');
  expect((await talk.skill('compound-interest')).status).toBe('active');
  await server.call('PATCH', '/workspace', { undelete_window_hours: 0 });
  await leave();
});

test('a skill without code is a skill to view, not code', async () => {
  const talk = await conversation();
  await server.call(
    'POST',
    '/skills',
    {
      name: 'polite-reply',
      title: 'Polite reply',
      description: 'Answers a complaint politely.',
      instructions: '# Polite reply\n\nThank them, then say what happens next.',
      scope: 'user',
    },
    ada.token,
  );
  await talk.interpret({ operation: 'use_skill', skill_name: 'polite-reply' });
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/conversations/${talk.id}`);
  const used = card(page, 'Skill Used: polite-reply');
  await used.getByText('Click to review the skill').waitFor();
  await used.getByRole('button', { name: 'View Skill' }).click();
  await page
    .getByRole('dialog', { name: 'polite-reply' })
    .getByText('Thank them, then say what happens next.')
    .waitFor();
  await leave();
});

test('a proposal is read and decided where it stands', async () => {
  const talk = await conversation();
  const propose = (name: string) =>
    through(talk.agent, 'POST', '/skills/propose', {
      name,
      description: 'Checks a budget before money is spent.',
      instructions: '# Budget check\n\nCompare what is planned with what is left.',
      session_id: talk.id,
    });
  await propose('budget-check');
  await propose('budget-copy');
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/conversations/${talk.id}`);
  const proposal = card(page, 'Skill Proposal: budget-check');
  await proposal.getByText('Awaiting user confirmation.').waitFor();
  await proposal.getByRole('button', { name: 'Show more' }).click();
  await proposal.getByText('Compare what is planned with what is left.').waitFor();
  await look(page, 'conversation-proposal');
  await proposal.getByRole('button', { name: 'Approve' }).click();
  await expectNotice(page, 'Skill approved and ready to use');
  await proposal.getByText('Active', { exact: true }).waitFor();
  const other = card(page, 'Skill Proposal: budget-copy');
  await other.getByRole('button', { name: 'Reject' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await expectNotice(page, 'Skill rejected and removed');
  await other.getByText('Removed', { exact: true }).waitFor();
  await leave();
});

test('a change meanwhile and a server that is away lose nothing', async () => {
  const talk = await conversation({ require_skill_approval: true });
  await talk.interpret(save);
  const { page, leave } = await visit(server, ada.token);
  // Nothing is heard from elsewhere here, as in the moment before it is.
  await page.route('**/api/v1/events', (route) => route.abort());
  await page.goto(`/conversations/${talk.id}`);
  await card(page, 'Skill Saved: compound_interest').getByRole('button', { name: 'View Code' }).click();
  const modal = page.getByRole('dialog', { name: 'compound_interest', exact: true });
  const approve = modal.getByRole('button', { name: 'Approve' });
  await approve.waitFor();
  await talk.interpret({ ...save, code: interest.replace('= 10', '= 20') });
  await approve.click();
  await modal.getByText('Revision 2 came while you were reading').waitFor();
  expect(await approve.isDisabled()).toBe(true);
  await modal.getByRole('button', { name: 'Look at it' }).click();
  await modal.getByText('The code has changed since: this is revision 2.').waitFor();
  expect((await talk.skill('compound-interest')).status).toBe('pending_approval');

  await server.stop();
  await approve.click();
  await modal.getByText('No connection').waitFor();
  await server.restart();
  await approve.click();
  await expectNotice(page, 'Skill approved and ready to use');

  await server.stop();
  await say(page, 'print("still here")');
  const sent = page.getByRole('region', { name: 'Sent' });
  await sent.getByText('No connection').waitFor();
  await look(page, 'conversation-offline');
  await server.restart();
  await sent.getByRole('button', { name: 'Try again' }).click();
  await page
    .getByRole('region', { name: 'Ran code' })
    .getByLabel('Printed')
    .getByText('still here')
    .waitFor();
  await leave();
});
