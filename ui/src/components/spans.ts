/** Spans of time that end now, by the word that an address has for them. */
export const spans: Record<string, { label: string; hours: number }> = {
  '1h': { label: 'Last hour', hours: 1 },
  '24h': { label: 'Last 24 hours', hours: 24 },
  '7d': { label: 'Last 7 days', hours: 7 * 24 },
  '30d': { label: 'Last 30 days', hours: 30 * 24 },
};

/** The moment where a span begins. */
export function beginningOf(span: string | undefined, now = Date.now()): string | undefined {
  const known = span ? spans[span] : undefined;
  return known ? new Date(now - known.hours * 3_600_000).toISOString() : undefined;
}
