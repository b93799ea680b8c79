/** The Policy tab as a policy admin writes with it, and as others read it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, expectNotice, look, settle, visit } from './browser';
import { Server } from './server';

let server: Server;
let careful: { id: string };

const sidecar = `# Kept by the platform team.
title: Careful coder
policy:
  scope: security
  # before all others
  priority: 100
  activation:
    always: true
  forbidden_tools:
    - Bash(rm:*)
tags: [security]
`;

const tables = `cases:
  - name: removing files is denied
    tool: Bash
    arguments: {command: rm -rf build}
    expect: deny
  - name: listing files is allowed
    tool: Bash
    arguments: {command: ls}
    expect: allow
`;

const manifest = `---
name: careful-coder
description: Keeps coding agents away from removing files and reading secrets.
---

Move files to trash/ instead of removing them.
`;

beforeAll(async () => {
  server = await Server.start();
  await server.call('POST', '/agents', { name: 'coder', title: 'Coder' });
  const made = await server.call('POST', '/skills', {
    files: [
      { path: 'SKILL.md', content: manifest },
      { path: 'repertoire.yaml', content: sidecar },
      { path: 'tests/basics.yaml', content: tables },
    ],
  });
  careful = made.skill;
  for (const command of ['ls -l', 'git push', 'make test']) {
    await server.call('POST', '/governance/judge', {
      task: 'tidy up',
      agent: 'coder',
      tool: 'Bash',
      arguments: { command },
    });
  }
  await server.call('POST', '/governance/judge', {
    task: 'look around',
    agent: 'coder',
    tool: 'WebFetch',
    arguments: { url: 'https://example.org' },
  });
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

async function fileOf(id: string, path: string): Promise<string> {
  const response = await fetch(`${server.url}/api/v1/skills/${id}/files/${path}`, {
    headers: { Authorization: `Bearer ${server.token}` },
  });
  return response.text();
}

test('the form and the source are one, and saving keeps every other byte', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${careful.id}/policy`);
  await page.getByRole('switch', { name: 'Whatever the task' }).waitFor();
  await page.getByText('2 passed').waitFor();
  await settle(page);
  await look(page, 'policy-form');

  const forbidden = page.getByRole('textbox', { name: 'Forbidden tools' });
  await forbidden.fill('WebFetch');
  await forbidden.press('Enter');
  await page.getByRole('textbox', { name: 'Most steps' }).fill('200');
  const effect = page.getByRole('region', { name: 'What would this change' });
  await effect.getByText('No longer').first().waitFor();
  await effect.getByText('WebFetch').first().waitFor();

  await page.getByText('Source', { exact: true }).click();
  const editor = page.getByRole('textbox', { name: 'Policy, as it stands in repertoire.yaml' });
  await editor.waitFor();
  expect(await editor.textContent()).toContain('WebFetch');
  expect(await editor.textContent()).toContain('max_steps: 200');
  expect(await editor.textContent()).not.toContain('title:');
  await look(page, 'policy-source');

  await page.getByLabel('What changed').fill('No fetching');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectNotice(page, 'Saved as revision 2');
  const file = await fileOf(careful.id, 'repertoire.yaml');
  expect(file).toContain('# Kept by the platform team.');
  expect(file).toContain('# before all others');
  expect(file.endsWith('tags: [security]\n')).toBe(true);
  const { policy } = await server.call('GET', `/skills/${careful.id}`);
  expect(policy).toMatchObject({ forbidden_tools: ['Bash(rm:*)', 'WebFetch'], max_steps: 200, always: true });
  await leave();
});

test('what is wrong in the source is told with its line, and the form waits', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${careful.id}/policy`);
  await page.getByText('Source', { exact: true }).click();
  const editor = page.getByRole('textbox', { name: 'Policy, as it stands in repertoire.yaml' });
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('  max_stepz: 3\n');
  await page.getByText('Found in it').waitFor();
  await page
    .getByText(/max_stepz/)
    .last()
    .waitFor();
  await page.locator('.cm-lint-marker').first().waitFor();
  await page.keyboard.type('  broken: [1\n');
  await page.getByText('Form', { exact: true }).click();
  await page.getByText(/of the source cannot be read/).waitFor();
  await page.getByText('The source cannot be read', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('switch', { name: 'Whatever the task' }).waitFor();
  await leave();
});

test('recorded calls are judged again under the change, and its tests say what breaks', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${careful.id}/policy`);
  await page.getByRole('switch', { name: 'Only certain tools are allowed' }).click({ force: true });
  const allowed = page.getByRole('textbox', { name: 'Allowed tools' });
  await allowed.fill('Read');
  await allowed.press('Enter');
  await page.getByText('1 failed').waitFor();
  await page.getByText('listing files is allowed').waitFor();
  await page.getByRole('button', { name: 'Judge again' }).click();
  const effect = page.getByRole('region', { name: 'What would this change' });
  await effect.getByText(/4 calls judged again/).waitFor();
  await effect.getByText('git push').waitFor();
  await page.getByRole('button', { name: 'Add check' }).click();
  await page.getByRole('menuitem', { name: /URLs name/ }).click();
  await page.getByRole('textbox', { name: '1. URLs name' }).fill('crates.io');
  await page.getByRole('textbox', { name: '1. URLs name' }).press('Enter');
  await look(page, 'policy-change');
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL('**/usage');
  expect((await server.call('GET', `/skills/${careful.id}`)).policy.allowed_tools).toBeNull();
  await leave();
});

test('who is no policy admin reads it and is told why', async () => {
  const ada = await server.person('ada', ['reviewer'], 'Ada Byron');
  const { page, leave } = await visit(server, ada.token);
  await page.goto(`/skills/${careful.id}/policy`);
  await page.getByText('Only policy admins write policies').waitFor();
  expect(await page.getByRole('switch', { name: 'Whatever the task' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Remove policy' }).count()).toBe(0);
  await look(page, 'policy-read-only');
  await leave();
});

test('a skill without a policy teaches what one is, and gets one from an example', async () => {
  const { skill } = await server.call('POST', '/skills', {
    name: 'production-freeze',
    title: 'Production freeze',
    description: 'Only reading while production is touched.',
    instructions: 'Ask the release manager.',
  });
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}/policy`);
  await page.getByText('This skill has no policy').waitFor();
  await look(page, 'policy-none');
  await page.getByRole('button', { name: /Only look/ }).click();
  await page.getByRole('textbox', { name: 'Allowed tools' }).waitFor();
  await page.keyboard.press('Control+s');
  await expectNotice(page, 'Saved as revision 2');
  const now = await server.call('GET', `/skills/${skill.id}`);
  expect(now.policy).toMatchObject({ keywords: ['production'], allowed_tools: ['Read', 'Grep', 'Glob'] });

  await page.getByRole('button', { name: 'Remove policy' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove policy' }).click();
  await page.getByText('This skill has no policy').waitFor();
  expect((await server.call('GET', `/skills/${skill.id}`)).policy).toBeNull();
  await leave();
});
