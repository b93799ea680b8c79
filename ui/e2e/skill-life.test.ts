import { expect, test } from 'vitest';
import { expectNotice, look, settle, visit } from './browser';
import { count, ownSkillForEachTest, read, server, skill } from './own-skill';
import { seedOne } from './seeds';

ownSkillForEachTest();

test('what waits is compared with what was let in last', async () => {
  const ann = await server.person(`amy-${count}`, ['member'], 'Amy Lane');
  const agent = await server.call('POST', '/agents', {
    name: `careful-${count}`,
    title: 'Careful',
    procedural_memory: { enabled: true, require_skill_approval: true, approver: 'admin' },
  });
  const { skill: mine } = await server.call(
    'POST',
    '/skills',
    { name: `notes-${count}`, description: 'First.', scope: 'agent_user', agent: agent.id },
    ann.token,
  );
  await server.call('POST', `/skills/${mine.id}/approve`, {});
  await server.call('PATCH', `/skills/${mine.id}`, { description: 'Second.' }, ann.token);
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${mine.id}`);
  await page.getByText('Waits for approval').waitFor();
  await page.getByRole('link', { name: 'Compare it with revision 1, which was let in last' }).click();
  await page.getByRole('heading', { name: 'What changed from 1 to 2' }).waitFor();
  await leave();
});

test('the switch turns a skill off at once, and undo turns it on again', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  await page.getByRole('switch', { name: 'Enabled' }).press('Space');
  await expectNotice(page, 'Turned off');
  expect((await read()).enabled).toBe(false);
  await page.getByText('Off', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectNotice(page, 'Undone');
  expect((await read()).enabled).toBe(true);
  await leave();
});

test('a draft is submitted, rejected with a reason, reopened and approved', async () => {
  const draft = await seedOne(server, `draft-${count}`, { draft: true });
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${draft.id}`);
  await page.getByText('Agents do not find it yet').waitFor();
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('Waits for approval').waitFor();
  await look(page, 'skill-waiting');
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.getByLabel('Why').fill('Say which changes count.');
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await page.getByText('The reason: Say which changes count.').waitFor();
  expect((await read(draft.id)).status).toBe('rejected');
  await page.getByRole('button', { name: 'Reopen as a draft' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(async () => (await read(draft.id)).status).toBe('active');
  await leave();
});

test('archiving can be undone, and then it is as it was', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate…' }).waitFor();
  await look(page, 'skill-actions');
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await page.getByText('It is kept, and agents no longer find it.').waitFor();
  expect((await read()).status).toBe('archived');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectNotice(page, 'Undone');
  expect((await read()).status).toBe('active');
  await leave();
});

test('a skill is duplicated with all its bytes under another name', async () => {
  await server.call('PATCH', `/skills/${skill.id}`, {
    files: [{ path: 'assets/logo.bin', content_base64: 'AAEC/w==', executable: true }],
  });
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Duplicate' });
  await dialog.getByLabel('Name').fill(`my-notes-${count}`);
  await look(page, 'skill-duplicate');
  await dialog.getByRole('button', { name: 'Duplicate' }).click();
  await expectNotice(page, 'Duplicated as');
  await page.waitForURL((url) => !url.pathname.includes(skill.id));
  const [copy] = (await server.call('GET', `/skills?name=my-notes-${count}`)).items;
  const whole = await read(copy.id);
  expect(whole.status).toBe('draft');
  expect(whole.scope.kind).toBe('user');
  expect(whole.skill_file).toContain(`name: my-notes-${count}`);
  expect(whole.findings).toEqual([]);
  expect(whole.files.find((file: { path: string }) => file.path === 'assets/logo.bin')).toMatchObject({
    size: 4,
    executable: true,
  });
  await leave();
});

test('a member asks for a promotion, and a reviewer grants it on the page', async () => {
  const ann = await server.person(`ann-${count}`, ['member'], 'Ann Smith');
  const { skill: mine } = await server.call(
    'POST',
    '/skills',
    { name: `refunds-${count}`, title: 'Refund check', description: 'Checks refunds.', scope: 'user' },
    ann.token,
  );
  const member = await visit(server, ann.token);
  await member.page.goto(`/skills/${mine.id}`);
  await member.page.getByRole('button', { name: 'More actions' }).click();
  await member.page.getByRole('menuitem', { name: 'Promote to Workspace…' }).click();
  await member.page.getByRole('button', { name: 'Ask for it' }).click();
  await member.page.getByText('A promotion waits').waitFor();
  expect(await member.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await member.leave();

  const reviewer = await visit(server);
  await reviewer.page.goto(`/skills/${mine.id}`);
  await reviewer.page.getByText('It was asked to move from User Ann Smith to Workspace.').waitFor();
  await reviewer.page.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(async () => (await read(mine.id)).scope.kind).toBe('workspace');
  await reviewer.leave();
});

test('deleting asks where it is final, and can be undone where the workspace keeps it', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  await server.call('PATCH', '/workspace', { undelete_window_hours: 0 });
  await page.reload();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByText('This cannot be undone.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect((await read()).deleted_at).toBeNull();

  await server.call('PATCH', '/workspace', { undelete_window_hours: 24 });
  await page.reload();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
  await expectNotice(page, 'is deleted');
  await page.waitForURL('**/skills');
  await expect(read()).rejects.toThrow(/404/);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectNotice(page, 'Undone');
  expect((await read()).name).toBe(skill.name);
  await settle(page);
  await leave();
});

test('export gives the bundle as a zip', async () => {
  const { page, leave } = await visit(server);
  await page.goto(`/skills/${skill.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export as zip' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${skill.name}.zip`);
  await leave();
});
