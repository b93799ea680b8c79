/** A real browser, and what every page of the app must hold: no error, no other host, nothing that axe finds serious. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Server } from './server';

const pictures = resolve(import.meta.dirname, '../../.test/screenshots');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

let browser: Promise<Browser> | undefined;

function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/** A person at the app: a page, and all that went wrong in it. */
export type Person = {
  page: Page;
  context: BrowserContext;
  /** What the page complained of; a test that provokes failures empties it. */
  complaints: string[];
  /** Ends it, and claims that nothing went wrong. */
  leave: () => Promise<void>;
};

/** Opens the app as somebody; without a token nobody is signed in. */
export async function visit(server: Server, token: string | null = server.token): Promise<Person> {
  const context = await (await openBrowser()).newContext({
    baseURL: server.url,
    viewport: desktop,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    colorScheme: 'light',
  });
  if (token) {
    const answer = await context.request.post('/api/v1/sign-in', { data: { token } });
    expect(answer.status()).toBe(200);
  }
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A refused request is said by the page itself, where people see it.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) {
      complaints.push(`console: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol) && origin !== server.url) {
      complaints.push(`a request to another host: ${request.url()}`);
    }
  });
  const leave = async () => {
    await context.close();
    expect(complaints).toEqual([]);
  };
  return { page, context, complaints, leave };
}

/** Claims that axe finds nothing serious on the page as it stands. */
async function expectAccessible(page: Page): Promise<void> {
  // Not a script tag: the content security policy lets none in.
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: put into the page above
    const { violations } = await (window as any).axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
    });
    return violations
      .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
          `${id}: ${nodes.map((node) => `${node.html.slice(0, 200)} ${node.failureSummary}`).join('\n   ')}`,
      );
  });
  expect(found).toEqual([]);
}

/** Looks at the page in light, dark and at phone width; keeps the pictures, and holds axe against each. */
export async function look(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  const before = page.viewportSize() ?? desktop;
  for (const [word, scheme, size] of [
    ['light', 'light', desktop],
    ['dark', 'dark', desktop],
    ['phone', 'light', phone],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize(size);
    await settle(page);
    await page.screenshot({ path: `${pictures}/${name}-${word}.png` });
    await expectAccessible(page);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(before);
  await settle(page);
}

/** Waits until nothing is being loaded or moved any more. */
export async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"], .mantine-Skeleton-root'));
  await page.evaluate(
    () =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 120)))),
  );
}

/** Claims that a notice with these very words appears. */
export async function expectNotice(page: Page, words: string): Promise<void> {
  await page.locator('.mantine-Notification-root').filter({ hasText: words }).first().waitFor();
}
