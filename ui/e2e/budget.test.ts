/** What the first page costs, as a browser really asks for it. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, settle, visit } from './browser';
import { seed } from './seeds';
import { Server } from './server';

const LIMIT_BYTES = 350 * 1024;
const assets = resolve(import.meta.dirname, '../dist/assets');
/** What only the parts that are loaded later have in them. */
const heavy = { editor: 'cm-scroller', charts: 'recharts-surface', markdown: 'remarkPlugins' };
const modules = resolve(import.meta.dirname, '../node_modules');
const sources = {
  editor: '@codemirror/view/dist/index.js',
  charts: 'recharts/es6/container/Surface.js',
  markdown: 'react-markdown/lib/index.js',
};

let server: Server;

beforeAll(async () => {
  server = await Server.start();
  await seed(server);
});
afterAll(async () => {
  await closeBrowser();
  await server.end();
});

test('the first page needs less than 350 KB of compressed JavaScript, without editor, charts and Markdown', async () => {
  const { page, leave } = await visit(server);
  const asked = new Set<string>();
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.endsWith('.js')) asked.add(pathname);
  });
  await page.goto('/');
  await page.getByRole('list', { name: 'Skills' }).locator('article').first().waitFor();
  await settle(page);
  const loaded = [...asked].map((path) => ({ path, bytes: readFileSync(resolve(assets, `..${path}`)) }));
  const size = loaded.reduce((sum, { bytes }) => sum + gzipSync(bytes, { level: 9 }).length, 0);
  process.stdout.write(`first page: ${loaded.length} scripts, ${Math.round(size / 1024)} KB compressed\n`);
  expect(loaded.some(({ path }) => path.includes('LibraryPage'))).toBe(true);
  expect(size).toBeLessThan(LIMIT_BYTES);
  for (const [what, mark] of Object.entries(heavy)) {
    // The mark is still one: without it the next claim would say nothing.
    expect(readFileSync(resolve(modules, sources[what as keyof typeof sources]), 'utf8')).toContain(mark);
    const holders = readdirSync(assets).filter(
      (name) => name.endsWith('.js') && readFileSync(resolve(assets, name), 'utf8').includes(mark),
    );
    expect(
      loaded.filter(({ path }) => holders.includes(path.split('/').pop() ?? '')),
      what,
    ).toEqual([]);
  }
  await leave();
});
