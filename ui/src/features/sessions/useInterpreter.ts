/** Sends commands of a conversation to the interpreter, through the conversation's agent; nothing that was typed is lost. */
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useCallback, useRef, useState } from 'react';
import { api, call, fetchRaw, type Schemas } from '@/api/client';
import { refresh } from '@/api/queries';
import { failed } from '@/components/feedback';
import type { requestOf } from './commands';
import { sessionQuery, through } from './queries';
import type { Sent } from './turns';

type Request = ReturnType<typeof requestOf>;

/** How much of the first command becomes the title. */
const TITLE = 80;

export type Interpreter = ReturnType<typeof useInterpreter>;

export function useInterpreter(
  session: Schemas['SessionDetailView'],
  agent: string | undefined,
  lastNumber: number,
  /** Read when something is sent: it may be known later than this is called. */
  codeSession: RefObject<string | undefined>,
) {
  const [sent, setSent] = useState<Sent[]>([]);
  const requests = useRef(new Map<number, Request>());
  const running = useRef(new Map<number, AbortController>());
  const next = useRef(0);
  const client = useQueryClient();

  const set = useCallback(
    (id: number, change: Partial<Sent>) =>
      setSent((all) => all.map((one) => (one.id === id ? { ...one, ...change } : one))),
    [],
  );

  const title = useCallback(
    async (text: string) => {
      // Somebody may have named it while the command ran.
      const now = client.getQueryData(sessionQuery(session.id).queryKey) ?? session;
      if (now.title) return;
      const [first = ''] = text.split('\n');
      await call(
        api.PATCH('/api/v1/sessions/{id}', {
          params: { path: { id: session.id } },
          body: { title: first.slice(0, TITLE) },
        }),
      ).catch(() => undefined);
    },
    [client, session],
  );

  const attempt = useCallback(
    async (id: number, text: string, request: Request) => {
      const ending = new AbortController();
      running.current.set(id, ending);
      try {
        const response = await fetchRaw('/api/v1/interpreter', {
          method: 'POST',
          signal: ending.signal,
          headers: { 'Content-Type': 'application/json', ...through(agent) },
          body: JSON.stringify({ ...request, conversation_id: session.id, session_id: codeSession.current }),
        });
        set(id, { state: 'done', answer: (await response.json()) as Schemas['InterpretedView'] });
        await title(text);
      } catch (error) {
        set(id, { state: 'failed', error: ending.signal.aborted ? new Error('you stopped it') : error });
      }
      running.current.delete(id);
      await refresh('sessions', 'skills', 'runs');
      await client.invalidateQueries({ queryKey: ['code-files'] });
      set(id, { settled: true });
    },
    [agent, session.id, codeSession, set, title, client],
  );

  const send = useCallback(
    (text: string, request: Request) => {
      const id = next.current++;
      requests.current.set(id, request);
      setSent((all) => [...all, { id, text, after: lastNumber, state: 'running' }]);
      return attempt(id, text, request);
    },
    [attempt, lastNumber],
  );

  const again = useCallback(
    (one: Sent) => {
      const request = requests.current.get(one.id);
      if (!request) return;
      set(one.id, { state: 'running', after: lastNumber, error: undefined, settled: false });
      void attempt(one.id, one.text, request);
    },
    [attempt, lastNumber, set],
  );

  const drop = useCallback((id: number) => setSent((all) => all.filter((one) => one.id !== id)), []);
  const stop = useCallback((id: number) => running.current.get(id)?.abort(), []);

  /** Lists the skills that can be used here, and keeps question and answer in the session. */
  const list = useCallback(
    async (text: string) => {
      try {
        const page = await call(
          api.GET('/api/v1/skills', {
            params: { query: { nearest: true, limit: 50, count: true } },
            headers: through(agent),
          }),
        );
        const skills = page.items as Schemas['SkillView'][];
        await call(
          api.POST('/api/v1/sessions/{id}/entries', {
            params: { path: { id: session.id } },
            headers: through(agent),
            body: {
              entries: [
                { kind: 'message', role: 'user', text },
                { kind: 'message', role: 'assistant', text: told(skills, page.total ?? skills.length) },
              ],
            },
          }),
        );
        await refresh('sessions');
        return true;
      } catch (error) {
        failed(error);
        return false;
      }
    },
    [agent, session.id],
  );

  return { sent, send, again, drop, stop, list, busy: sent.some(({ state }) => state === 'running') };
}

function told(skills: Schemas['SkillView'][], total: number): string {
  if (skills.length === 0)
    return 'There are no skills to use here yet. Run some code, then save it with `/save name what it does`.';
  const lines = skills.map((skill) => `- **${skill.name}**: ${skill.description}`);
  const rest = total > skills.length ? `\n\nand ${total - skills.length} more in the library.` : '';
  return `These skills can be used here:\n\n${lines.join('\n')}${rest}`;
}
