/** A skill of its own for each test of a file, which the test may change as it likes. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { closeBrowser } from './browser';
import { seedOne } from './seeds';
import { Server } from './server';

export let server: Server;
export let skill: { id: string; name: string };
/** Tells the tests of a file apart, for what else they make. */
export let count = 0;

export function ownSkillForEachTest(): void {
  beforeAll(async () => {
    server = await Server.start();
  });
  afterAll(async () => {
    await closeBrowser();
    await server.end();
  });
  beforeEach(async () => {
    count += 1;
    skill = await seedOne(server, `release-notes-${count}`);
  });
}

export const read = (id = skill.id) => server.call('GET', `/skills/${id}`);
