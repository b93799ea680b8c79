/** The one way to the server: typed by its OpenAPI document; what fails is an `ApiError`. */
import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];
export type Problem = Schemas['Problem'];

/** What the server refused, in its own words, or that it could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly findings: Schemas['FindingView'][] = [],
  ) {
    super(detail);
    this.name = 'ApiError';
  }

  /** The server did not answer at all. */
  get isOffline(): boolean {
    return this.status === 0;
  }
}

const WORKSPACE_KEY = 'repertoire-workspace';

// Fixed for the life of the page: what another tab turns to must not redirect what is written here.
let here = localStorage.getItem(WORKSPACE_KEY);

/** The workspace this page turned to; none means the one of its sign-in. */
export function chosenWorkspace(): string | null {
  return here;
}

/** What pages that are opened from now on turn to; this one stays where it is. */
export function rememberWorkspace(name: string | null): void {
  if (name) localStorage.setItem(WORKSPACE_KEY, name);
  else localStorage.removeItem(WORKSPACE_KEY);
}

/** Turns this page back to the workspace of its sign-in. */
export function forgetWorkspace(): void {
  here = null;
  rememberWorkspace(null);
}

/** The headers that every request of this browser carries. */
function requestHeaders(): Record<string, string> {
  const workspace = chosenWorkspace();
  return workspace ? { 'Repertoire-Workspace': workspace } : {};
}

const turned: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(requestHeaders())) request.headers.set(name, value);
    return request;
  },
};

export const api = createClient<paths>({ baseUrl: window.location.origin, credentials: 'same-origin' });
api.use(turned);

/** The problem document of an answer that is not a success. */
async function problemOf(response: Response): Promise<ApiError> {
  try {
    return fromProblem(response.status, await response.json());
  } catch {
    return fromProblem(response.status, undefined);
  }
}

function fromProblem(status: number, body: unknown): ApiError {
  const problem = (body ?? {}) as Partial<Problem>;
  return new ApiError(
    status,
    problem.code ?? 'unknown',
    problem.detail ?? `the server answered ${status}`,
    problem.findings ?? [],
  );
}

export function offline(): ApiError {
  return new ApiError(0, 'offline', 'the server cannot be reached; check that it runs, then try again');
}

/** What the whole app wants to know of every answer: whether the server is there, and whether it still knows us. */
export type Reach = 'reached' | 'unreachable' | 'signed-out';

const watchers = new Set<(reach: Reach) => void>();

export function onReach(watcher: (reach: Reach) => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function tell(reach: Reach): void {
  for (const watcher of watchers) watcher(reach);
}

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** Waits for an answer and gives its body, or throws an `ApiError`. */
export async function call<T>(answer: Promise<Answer<T>>): Promise<T> {
  return (await callWhole(answer)).data;
}

/** The same with the response, for its headers. */
async function callWhole<T>(answer: Promise<Answer<T>>): Promise<{ data: T; response: Response }> {
  let settled: Answer<T>;
  try {
    settled = await answer;
  } catch (error) {
    if (isAbort(error)) throw error;
    tell('unreachable');
    throw offline();
  }
  tell(settled.response.status === 401 ? 'signed-out' : 'reached');
  if (!settled.response.ok) throw fromProblem(settled.response.status, settled.error);
  return { data: settled.data as T, response: settled.response };
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** A request whose body or answer is bytes or a stream, which the typed client does not speak. */
export async function fetchRaw(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      ...init,
      credentials: 'same-origin',
      headers: { ...requestHeaders(), ...(init.headers as Record<string, string>) },
    });
  } catch (error) {
    if (isAbort(error)) throw error;
    tell('unreachable');
    throw offline();
  }
  tell(response.status === 401 ? 'signed-out' : 'reached');
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The header that makes a write fail when the record has changed since it was read. */
export function ifMatch(version: number): { 'If-Match': string } {
  return { 'If-Match': `"${version}"` };
}

/** What to say of anything that was thrown. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
