import { expect, test } from 'vitest';
import { append, SHOWN_CHARACTERS } from './execution';

test('output of one stream is joined, and the two streams keep their order', () => {
  const { output } = append(
    [{ stream: 'stdout', text: 'a' }],
    [
      { stream: 'stdout', text: 'b' },
      { stream: 'stderr', text: 'c' },
      { stream: 'stdout', text: 'd' },
    ],
  );
  expect(output.map((chunk) => `${chunk.stream}:${chunk.text}`)).toEqual([
    'stdout:ab',
    'stderr:c',
    'stdout:d',
  ]);
});

test('the end of long output is kept, and its beginning goes', () => {
  const long = 'x'.repeat(SHOWN_CHARACTERS);
  const { output, cut } = append(
    [{ stream: 'stderr', text: 'first' }],
    [{ stream: 'stdout', text: `${long}last` }],
  );
  expect(cut).toBe(true);
  expect(output).toHaveLength(1);
  expect(output[0]?.text).toHaveLength(SHOWN_CHARACTERS);
  expect(output[0]?.text.endsWith('last')).toBe(true);
});
