/** Conversations as tests need them: each with an agent of its own, and the box that people write in. */
import { expect } from 'vitest';
import type { Person } from './browser';
import type { Body, Server } from './server';

type Page = Person['page'];
type Someone = Awaited<ReturnType<Server['person']>>;

export const interest = `def compound_interest(principal: float, rate: float, years: int = 10):
    """Calculates compound interest.

    Args:
        principal: What is put in.
        rate: Interest a year, 0.05 for 5 %.
        years: For how long.
    """
    return round(principal * (1 + rate) ** years, 2)
`;
export const save = {
  operation: 'register_skill',
  skill_name: 'compound_interest',
  skill_description: 'Calculates compound interest for a principal, a rate and a number of years.',
  code: interest,
};
export const use = {
  operation: 'use_skill',
  skill_name: 'compound_interest',
  skill_parameters: { principal: 1000, rate: 0.05 },
};

export const box = (page: Page) => page.getByRole('combobox', { name: 'Code or command' });
export const card = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });

/** The newest of the cards with a title. */
export const lastCard = (page: Page, title: string) => card(page, title).last();

/** Writes and sends; Escape keeps a command from being completed. */
export async function say(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await box(page).press('Escape');
  await box(page).press('Enter');
}

/** Begins a conversation with an agent, as a person does. */
export async function begin(page: Page, title: RegExp | string): Promise<void> {
  await page.goto('/conversations');
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New conversation' });
  await dialog.getByRole('combobox', { name: 'Agent' }).click();
  await page.getByRole('option', { name: title }).click();
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.getByText('Write some Python, or a command').waitFor();
}

/** Saves code as a skill, by the command. */
export async function saveSkill(page: Page, name: string, description: string, code: string): Promise<void> {
  await say(page, `/save ${name} ${description}\n${code}`);
  await lastCard(page, `Skill Saved: ${name}`).waitFor();
}

/** Claims what a search in the conversation finds. */
export async function finds(page: Page, words: string, names: string[]): Promise<void> {
  await say(page, `/search ${words}`);
  const found = lastCard(page, `Searched for “${words}”`);
  if (names.length === 0) await found.getByText('No skill fits that', { exact: false }).waitFor();
  for (const name of names) await found.getByRole('button', { name: `Use ${name}` }).waitFor();
  expect(await found.getByRole('button', { name: /^Use / }).count()).toBe(names.length);
}

/** Opens what the card of a saved skill shows. */
export async function review(page: Page, name: string) {
  await lastCard(page, `Skill Saved: ${name}`).getByRole('button', { name: 'View Code' }).click();
  return page.getByRole('dialog', { name, exact: true });
}

/** The conversations of a person on a server. */
export function conversationsOf(server: Server, person: Someone) {
  /** Calls the API through an agent, as the agent's host would. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they asked for
  async function through(agent: string, method: string, path: string, body: Body): Promise<any> {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${person.token}`,
        'Content-Type': 'application/json',
        'Repertoire-Agent': agent,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  let made = 0;
  /** A conversation with an agent of its own, which has procedural memory. */
  async function conversation(settings: Body = {}) {
    const agent = `planner-${++made}`;
    const title = `Savings ${made}`;
    await server.call('POST', '/agents', {
      name: agent,
      title: `Planner ${made}`,
      procedural_memory: { enabled: true, ...settings },
    });
    const session = await through(agent, 'POST', '/sessions', { title, source: 'my-agent' });
    const interpret = (body: Body) =>
      through(agent, 'POST', '/interpreter', { ...body, conversation_id: session.id });
    const skill = async (name: string) =>
      (await server.call('GET', `/skills?name=${name}&agent=${agent}`)).items[0];
    return { agent, title, id: session.id as string, interpret, skill };
  }

  return { through, conversation };
}
