/** A small, realistic library for the tests of agents, analytics and the audit log. */
import type { Server } from './server';

export const texts = [
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

/** Puts the skills in, and gives their ids by name. */
export async function seedSkills(server: Server): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const text of texts) {
    const { skill } = await server.call('POST', '/skills', { ...text, scope: 'workspace' });
    ids[text.name] = skill.id;
  }
  return ids;
}
