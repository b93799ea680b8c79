/** Numbers about use, made ready to be looked at. */

export type DayUses = { day: string; uses: number; successes: number; failures: number };

export const spans = [7, 30, 90, 365] as const;
export type Span = (typeof spans)[number];

/** The first and the last day of a span that ends today, in UTC. */
export function window(span: Span, now = new Date()): { since: string; until: string } {
  const until = now.toISOString().slice(0, 10);
  const first = new Date(`${until}T00:00:00Z`);
  first.setUTCDate(first.getUTCDate() - (span - 1));
  return { since: first.toISOString().slice(0, 10), until };
}

export type Bar = DayUses & { label: string };

/** One bar for each day; for more than 100 days one for each 7, so that bars stay wide enough to read. */
export function bars(days: DayUses[]): Bar[] {
  const size = days.length > 100 ? 7 : 1;
  const made: Bar[] = [];
  for (let at = 0; at < days.length; at += size) {
    const part = days.slice(at, at + size);
    const first = part[0];
    if (!first) continue;
    const sum = (of: 'uses' | 'successes' | 'failures') => part.reduce((total, day) => total + day[of], 0);
    const name = dayLabel(first.day);
    made.push({
      day: first.day,
      label: size === 1 ? name : `Week of ${name}`,
      uses: sum('uses'),
      successes: sum('successes'),
      failures: sum('failures'),
    });
  }
  return made;
}

function dayLabel(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
}

/** What so many uses saved, when each saved so many minutes. */
export function timeSaved(successes: number, minutes: number): string {
  const all = Math.round(successes * minutes);
  if (all < 60) return `${all} min`;
  const hours = all / 60;
  return hours < 100 ? `${hours.toFixed(1)} h` : `${Math.round(hours).toLocaleString('en')} h`;
}
