/** The real program on a library of its own, which ends with the tests that use it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const here = import.meta.dirname;
const binary = resolve(process.env.REPERTOIRE ?? join(here, '../../target/debug/repertoire'));
const app = resolve(here, '../dist');

/** How long it may take to start. */
const PATIENCE_MS = 60_000;

export type Body = Record<string, unknown>;

export class Server {
  private constructor(
    private readonly folder: string,
    private process: ChildProcess,
    readonly url: string,
    /** A token of the operator, for what a test sets up; each start makes another. */
    public token: string,
  ) {}

  static async start(): Promise<Server> {
    if (!existsSync(join(app, 'index.html')))
      throw new Error('the app is not built: run `npm run build` in ui/');
    const folder = mkdtempSync(join(tmpdir(), 'repertoire-web-'));
    const { process, url } = await serve(folder, '127.0.0.1:0');
    return new Server(folder, process, url, tokenIn(folder));
  }

  /** Ends it as a power cut would. */
  async stop(): Promise<void> {
    await new Promise((resolve) => {
      if (this.process.exitCode !== null) return resolve(null);
      this.process.once('exit', resolve);
      this.process.kill('SIGKILL');
    });
  }

  /** Starts it again, on the same data and the same port. */
  async restart(): Promise<void> {
    const { process } = await serve(this.folder, new URL(this.url).host);
    this.process = process;
    this.token = tokenIn(this.folder);
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A one-time link that signs a person in, made where the server runs. */
  link(handle = 'admin'): string {
    const said = execFileSync(binary, ['--data', join(this.folder, 'data'), 'user', 'link', handle], {
      encoding: 'utf8',
    });
    const link = said.match(/https?:\/\/\S+/)?.[0];
    if (!link) throw new Error(`no link in: ${said}`);
    return link;
  }

  /** Calls the API as the operator, or with another token. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they asked for
  async call(method: string, path: string, body?: unknown, token = this.token): Promise<any> {
    const response = await fetch(this.url + (/^\/(code|files)\//.test(path) ? path : `/api/v1${path}`), {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  /** Another person of the workspace, and a token of theirs. */
  async person(handle: string, roles: string[] = ['member'], name = handle) {
    const user = await this.call('POST', '/users', { handle, display_name: name, roles });
    const { secret } = await this.call('POST', '/tokens', {
      name: 'tests',
      user: user.id,
      scopes: ['read', 'write', 'review', 'admin'],
    });
    return { id: user.id as string, handle, token: secret as string };
  }
}

const tokenIn = (folder: string) => readFileSync(join(folder, 'data/local.token'), 'utf8').trim();

async function serve(folder: string, listen: string): Promise<{ process: ChildProcess; url: string }> {
  const ready = join(folder, 'ready');
  rmSync(ready, { force: true });
  const child = spawn(
    binary,
    [
      'serve',
      ...['--data', join(folder, 'data'), '--listen', listen, '--metrics-listen', 'off'],
      ...['--ready-file', ready, '--ui-dir', app],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const late = Date.now() + PATIENCE_MS;
  while (!existsSync(ready) || !readFileSync(ready, 'utf8').trim()) {
    if (child.exitCode !== null || Date.now() > late) {
      child.kill('SIGKILL');
      throw new Error(`the server did not start:\n${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { process: child, url: `http://${readFileSync(ready, 'utf8').trim()}` };
}
