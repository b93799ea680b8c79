/** Times and amounts as people say them. */
import { Text, type TextProps, Tooltip } from '@mantine/core';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export function ago(at: string, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 5 ? 'in a moment' : 'just now';
}

export function moment(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** A time, told from now, with the whole of it on hover. */
export function Ago({ at, ...props }: { at: string | null | undefined } & TextProps) {
  if (!at) return <Text {...props}>never</Text>;
  return (
    <Tooltip label={moment(at)}>
      <Text component="time" dateTime={at} {...props}>
        {ago(at)}
      </Text>
    </Tooltip>
  );
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const known = ['kB', 'MB', 'GB'];
  let value = count;
  let unit = -1;
  do {
    value /= 1000;
    unit += 1;
  } while (value >= 1000 && unit < known.length - 1);
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${known[unit]}`;
}

export function duration(ms: number): string {
  if (ms < 1) return '< 1 ms';
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function percent(rate: number): string {
  return `${Math.round(rate * 100)}%`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
