import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { useFileText } from './files';
import type { Skill } from './useSkill';

afterEach(() => vi.unstubAllGlobals());

const at = (number: number, id = 'a') => ({ id, shown: { number } }) as Skill;

type Seen = ReturnType<typeof useFileText>;

function Probe(props: { skill: Skill; path: string | null; see: (seen: Seen) => void }) {
  props.see(useFileText(props.skill, props.path));
  return null;
}

/** Shows a file of a skill; answers come when they are given. */
function reading() {
  const answers: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => answers.push(resolve)));
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const root = createRoot(document.createElement('div'));
  let seen: Seen | undefined;
  const see = (now: Seen) => {
    seen = now;
  };
  const show = (skill: Skill, path: string | null) =>
    flushSync(() =>
      root.render(
        <QueryClientProvider client={client}>
          <Probe skill={skill} path={path} see={see} />
        </QueryClientProvider>,
      ),
    );
  const answer = async (response: Response) => {
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    answers.pop()?.(response);
  };
  return { show, answer, now: () => seen };
}

test('the text of a former revision stays until the new one is read, and does not pass for it', async () => {
  const { show, answer, now } = reading();
  show(at(1), 'repertoire.yaml');
  expect(now()).toMatchObject({ text: undefined, settled: false });
  await answer(new Response('first'));
  await vi.waitFor(() => expect(now()).toMatchObject({ text: 'first', settled: true }));
  show(at(2), 'repertoire.yaml');
  expect(now()).toMatchObject({ text: 'first', settled: false, error: null });
  await answer(new Response('second'));
  await vi.waitFor(() => expect(now()).toMatchObject({ text: 'second', settled: true }));
});

test('a text that cannot be read leaves the former one, with the reason', async () => {
  const { show, answer, now } = reading();
  show(at(1), 'repertoire.yaml');
  await answer(new Response('first'));
  await vi.waitFor(() => expect(now()?.settled).toBe(true));
  show(at(2), 'repertoire.yaml');
  await answer(new Response('{}', { status: 500 }));
  await vi.waitFor(() => expect(now()?.error).toBeInstanceOf(Error));
  expect(now()).toMatchObject({ text: 'first', settled: false });
});

test('a file that is gone has no text, and another skill has nothing of this one', async () => {
  const { show, answer, now } = reading();
  show(at(1), 'repertoire.yaml');
  await answer(new Response('first'));
  await vi.waitFor(() => expect(now()?.settled).toBe(true));
  show(at(2), null);
  expect(now()).toMatchObject({ text: null, settled: true });
  show(at(1, 'b'), 'repertoire.yaml');
  expect(now()).toMatchObject({ text: undefined, settled: false });
});
