/** What charts show of runs. */
import type { Schemas } from '@/api/client';

export type Run = Schemas['RunView'];
export type Day = { day: string; Succeeded: number; Failed: number };
export type Took = { run: string; revision: number; Duration: number };

/** Runs by the day they began, every day between the first and the last, at most the newest `most` days. */
export function byDay(runs: Run[], most = 60): Day[] {
  const days = new Map<string, Day>();
  for (const run of runs) {
    const day = run.started_at.slice(0, 10);
    const known = days.get(day) ?? { day, Succeeded: 0, Failed: 0 };
    known[run.status === 'succeeded' ? 'Succeeded' : 'Failed'] += 1;
    days.set(day, known);
  }
  const sorted = [...days.keys()].sort();
  const first = sorted[0];
  const last = sorted.at(-1);
  if (!first || !last) return [];
  const all: Day[] = [];
  for (let at = Date.parse(`${first}T00:00:00Z`); at <= Date.parse(`${last}T00:00:00Z`); at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    all.push(days.get(day) ?? { day, Succeeded: 0, Failed: 0 });
  }
  return all.slice(-most);
}

/** How long the newest runs took, oldest first. */
export function durations(runs: Run[], most = 100): Took[] {
  const newest = [...runs]
    .sort((one, other) => other.started_at.localeCompare(one.started_at))
    .slice(0, most);
  return newest.reverse().map((run) => ({
    run: run.started_at,
    revision: run.revision,
    Duration: Math.round(run.duration_ms * 10) / 10,
  }));
}

/** The duration that half of the runs stay within. */
export function median(runs: Run[]): number | null {
  const sorted = runs.map((run) => run.duration_ms).sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const high = sorted[middle];
  if (high === undefined) return null;
  return sorted.length % 2 ? high : (high + (sorted[middle - 1] ?? high)) / 2;
}
