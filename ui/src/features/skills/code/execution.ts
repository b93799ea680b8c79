/** One execution in the sandbox, told as it goes: its output while it runs, then what came of it. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, fetchRaw, type Problem, type Schemas } from '@/api/client';
import { readEvents } from '@/api/stream';

export type Chunk = { stream: 'stdout' | 'stderr'; text: string };
export type Ran = Schemas['RanView'];
type Executed = Schemas['ExecutedView'];

export type Outcome = { kind: 'run'; ran: Ran } | { kind: 'try'; ran: Executed };

export type Execution = {
  phase: 'idle' | 'waiting' | 'running' | 'finished' | 'stopped' | 'refused';
  output: Chunk[];
  /** Whether the beginning of the output was dropped. */
  cut: boolean;
  outcome?: Outcome;
  problem?: unknown;
};

/** More than this is not shown while it runs: a page that stutters helps nobody. */
export const SHOWN_CHARACTERS = 200_000;

/** The output with more at its end; its beginning goes where it becomes too long. */
export function append(output: Chunk[], more: Chunk[]): { output: Chunk[]; cut: boolean } {
  const joined = [...output];
  for (const chunk of more) {
    const last = joined.at(-1);
    if (last && last.stream === chunk.stream) {
      joined[joined.length - 1] = { ...last, text: last.text + chunk.text };
    } else {
      joined.push(chunk);
    }
  }
  let surplus = joined.reduce((sum, chunk) => sum + chunk.text.length, 0) - SHOWN_CHARACTERS;
  const cut = surplus > 0;
  while (surplus > 0) {
    const first = joined[0];
    if (!first) break;
    if (first.text.length <= surplus) joined.shift();
    else joined[0] = { ...first, text: first.text.slice(surplus) };
    surplus -= first.text.length;
  }
  return { output: joined, cut };
}

type Asked = { kind: Outcome['kind']; path: string; body: unknown };

const idle: Execution = { phase: 'idle', output: [], cut: false };

export function useExecution() {
  const [execution, setExecution] = useState<Execution>(idle);
  const ending = useRef<AbortController>(null);

  useEffect(() => () => ending.current?.abort(), []);

  const stop = useCallback(() => ending.current?.abort(), []);

  const start = useCallback(async (asked: Asked): Promise<Outcome | null> => {
    ending.current?.abort();
    const controller = new AbortController();
    ending.current = controller;
    setExecution({ ...idle, phase: 'waiting' });
    try {
      const outcome = await follow(asked, controller.signal, setExecution);
      setExecution((now) => ({ ...now, phase: 'finished', outcome }));
      return outcome;
    } catch (problem) {
      if (ending.current !== controller) return null;
      const stopped = controller.signal.aborted;
      setExecution((now) => ({ ...now, phase: stopped ? 'stopped' : 'refused', problem }));
      return null;
    }
  }, []);

  return { execution, start, stop };
}

type Change = (change: (now: Execution) => Execution) => void;

async function follow(asked: Asked, signal: AbortSignal, change: Change): Promise<Outcome> {
  const response = await fetchRaw(asked.path, {
    method: 'POST',
    signal,
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify(asked.body),
  });
  let heard: Chunk[] = [];
  let frame = 0;
  const flush = () => {
    frame = 0;
    const more = heard;
    heard = [];
    change((now) => {
      const { output, cut } = append(now.output, more);
      return { ...now, phase: 'running', output, cut: now.cut || cut };
    });
  };
  try {
    for await (const event of readEvents(response)) {
      if (event.name === 'started') change((now) => ({ ...now, phase: 'running' }));
      if (event.name === 'output') {
        heard.push(JSON.parse(event.data) as Chunk);
        frame ||= requestAnimationFrame(flush);
      }
      if (event.name === 'finished') return { kind: asked.kind, ran: JSON.parse(event.data) } as Outcome;
      if (event.name === 'problem') {
        const problem = JSON.parse(event.data) as Problem;
        throw new ApiError(
          problem.status,
          problem.code,
          problem.detail ?? problem.title,
          problem.findings ?? [],
        );
      }
    }
  } finally {
    cancelAnimationFrame(frame);
    if (heard.length > 0) flush();
  }
  signal.throwIfAborted();
  throw new ApiError(0, 'offline', 'the connection was lost before the execution was over');
}
