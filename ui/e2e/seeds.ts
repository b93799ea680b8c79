/** What tests find in a library before they begin. */
import type { Body, Server } from './server';

/** A small library as a team might have it. */
const library = [
  {
    name: 'loan-interest',
    title: 'Loan interest',
    icon: '💶',
    description: 'Calculates the interest and the monthly payment of a loan from principal, rate and term.',
    instructions: '# Loan interest\n\nUse the annuity formula. Ask for the term if it is missing.\n',
    tags: ['finance', 'calculation'],
    example_prompts: ['How much interest do I pay on a loan of 20,000 over five years?'],
    procedure: {
      language: 'python',
      code: 'def interest(principal: float, rate: float, years: int) -> float:\n    return principal * rate * years\n',
      function: 'interest',
    },
  },
  {
    name: 'release-notes',
    title: 'Release notes',
    icon: '📝',
    description: 'Writes release notes from merged pull requests, grouped by what users notice.',
    instructions: '# Release notes\n\nRead the merged pull requests since the last tag. Group by effect.\n',
    tags: ['writing', 'release'],
    example_prompts: ['Draft the release notes for version 2.4'],
  },
  {
    name: 'incident-report',
    title: 'Incident report',
    icon: '🚨',
    description: 'Turns a timeline of an outage into a blameless report with causes and follow-ups.',
    instructions: '# Incident report\n\nTimeline first, then causes, then what changes.\n',
    tags: ['operations', 'writing'],
  },
  {
    name: 'csv-cleanup',
    title: 'Clean up a CSV file',
    description: 'Trims cells, fixes encodings and drops empty rows of a CSV file before it is analysed.',
    instructions: '# CSV cleanup\n\nKeep the header. Never drop a row that has a key.\n',
    tags: ['data'],
  },
  {
    name: 'refund-check',
    title: 'Check a refund',
    description:
      'Decides whether a customer gets a refund, by the order, the policy of the shop and the dates.',
    instructions: '# Refunds\n\nWithin 30 days and unused: yes. Else ask a person.\n',
    tags: ['support'],
  },
  {
    name: 'meeting-minutes',
    title: 'Meeting minutes',
    icon: '🗒️',
    description: 'Writes short minutes from a transcript: decisions, who does what, and by when.',
    instructions: '# Minutes\n\nDecisions first. No chatter.\n',
    tags: ['writing'],
    draft: true,
  },
];

/** Puts a library in at once, and gives the ids by name. */
export async function seed(server: Server, items: Body[] = library): Promise<Record<string, string>> {
  const { results } = await server.call('POST', '/skills/bulk', { mode: 'atomic', items });
  return Object.fromEntries(
    results.map(({ published }: { published: { skill: { name: string; id: string } } }) => [
      published.skill.name,
      published.skill.id,
    ]),
  );
}

/** What an admin meets in agents, analytics and the audit log. */
const few = [
  {
    name: 'release-notes',
    title: 'Release notes',
    description: 'Writes release notes from merged pull requests, grouped by what changed for users.',
    instructions: 'Read the merged pull requests since the last tag. Group them. Write one line for each.',
    tags: ['release', 'writing'],
  },
  {
    name: 'rotate-keys',
    title: 'Rotate keys',
    description: 'Rotates the signing keys of a service without downtime.',
    instructions: 'Add the new key beside the old one, wait for all instances, then remove the old one.',
    tags: ['security'],
  },
  {
    name: 'invoice-totals',
    title: 'Invoice totals',
    description: 'Adds up the line items of an invoice with tax and checks the printed total.',
    instructions: 'Sum net amounts for each tax rate, round half up, compare with the printed total.',
    tags: ['finance'],
  },
  {
    name: 'triage-crash-reports',
    title: 'Triage crash reports',
    description: 'Groups crash reports by their top frames and finds the change that brought them.',
    instructions: 'Take the top three frames as the key. Bisect over the releases of the last month.',
    tags: ['support'],
  },
];

/** Puts a few skills in one by one, for everyone, and gives their ids by name. */
export async function seedFew(server: Server): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const text of few) {
    const { skill } = await server.call('POST', '/skills', { ...text, scope: 'workspace' });
    ids[text.name] = skill.id;
  }
  return ids;
}

/** One skill for one test to change. */
export async function seedOne(
  server: Server,
  name: string,
  more: Body = {},
): Promise<{ id: string; name: string }> {
  const { skill } = await server.call('POST', '/skills', {
    name,
    title: 'Release notes',
    description: 'Writes release notes from merged changes. Use it before every release.',
    instructions: '# Release notes\n\n1. List the merged changes.\n2. Group them by what people notice.\n',
    tags: ['release', 'writing'],
    icon: '🚀',
    example_prompts: ['Write the release notes for 2.4'],
    ...more,
  });
  return skill;
}
