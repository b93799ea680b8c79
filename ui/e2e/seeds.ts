/** A small library as a team might have it. */
import type { Server } from './server';

export const skills = [
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

/** Puts them in, and gives their ids by name. */
export async function seed(
  server: Server,
  items: Record<string, unknown>[] = skills,
): Promise<Record<string, string>> {
  const { results } = await server.call('POST', '/skills/bulk', { mode: 'atomic', items });
  return Object.fromEntries(
    results.map(({ published }: { published: { skill: { name: string; id: string } } }) => [
      published.skill.name,
      published.skill.id,
    ]),
  );
}
