import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, look, visit } from './browser';
import { Server } from './server';

let server: Server;

beforeAll(async () => {
  server = await Server.start();
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

test('the one-time link of the terminal opens the app', async () => {
  const { page, leave } = await visit(server, null);
  await page.goto(server.link());
  await page.getByRole('heading', { name: 'Library', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/skills');
  await look(page, 'first-visit');
  await leave();
});
