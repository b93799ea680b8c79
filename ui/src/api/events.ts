/** Hears from the server that something changed, and reads it again. One tab listens for all tabs of a workspace. */
import { chosenWorkspace, fetchRaw } from './client';
import { refresh, refreshOlder, type Topic } from './queries';
import { readEvents } from './stream';

type Listener = (live: boolean) => void;

const listeners = new Set<Listener>();
let live = false;

/** Tells whether changes are heard of. */
export function onLive(listener: Listener): () => void {
  listeners.add(listener);
  listener(live);
  return () => listeners.delete(listener);
}

function setLive(now: boolean): void {
  if (live === now) return;
  live = now;
  for (const listener of listeners) listener(now);
}

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Listens until the signal: in this tab where no other does. */
export function followChanges(signal: AbortSignal): void {
  const name = `repertoire-changes-${chosenWorkspace() ?? ''}`;
  const channel = new BroadcastChannel(name);
  let leads = false;
  const tell = (event: Heard) => {
    hear(event);
    channel.postMessage(event);
  };
  channel.onmessage = ({ data }: MessageEvent<Heard>) => {
    if (!data.asks) hear(data);
    else if (leads) channel.postMessage({ live } satisfies Heard);
  };
  signal.addEventListener('abort', () => channel.close());
  // A tab that comes later is told how things stand by the one that listens.
  channel.postMessage({ asks: true } satisfies Heard);
  const lead = () => {
    leads = true;
    return listen(tell, signal);
  };
  if (navigator.locks) {
    navigator.locks.request(name, { signal }, lead).catch(() => undefined);
  } else {
    void lead();
  }
}

/** `since`: what was read later than that is known to be new. */
type Heard = { asks?: boolean; live?: boolean; topics?: Topic[]; since?: number };

function hear(event: Heard): void {
  if (event.live !== undefined) setLive(event.live);
  if (!event.topics?.length) return;
  if (event.since === undefined) void refresh(...event.topics);
  else void refreshOlder(event.topics, event.since);
}

async function listen(tell: (event: Heard) => void, signal: AbortSignal): Promise<void> {
  let pause = 500;
  while (!signal.aborted) {
    try {
      const response = await fetchRaw('/api/v1/events', { signal, headers: { Accept: 'text/event-stream' } });
      for await (const event of readEvents(response)) {
        const { topics } = JSON.parse(event.data) as { topics: Topic[] };
        if (event.name === 'hello') {
          pause = 500;
          // Nobody listened until now: not when the page was opened, nor after another tab that did was closed.
          tell({ live: true, topics, since: Date.now() });
        } else if (event.name === 'change') {
          tell({ topics });
        }
      }
    } catch {
      // The next round tries again.
    }
    if (signal.aborted) return;
    tell({ live: false });
    await wait(pause, signal);
    pause = Math.min(pause * 2, 15_000);
  }
}
