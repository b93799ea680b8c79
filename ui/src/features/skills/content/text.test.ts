import { expect, test } from 'vitest';
import { asLines, textOf, toBase64, withEndingsOf } from './text';

test('text is what is UTF-8 without zeros; its byte order mark stays', () => {
  expect(textOf(new TextEncoder().encode('grün'))).toBe('grün');
  expect(textOf(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).toBe('\ufeffa');
  expect(textOf(new Uint8Array([0x61, 0]))).toBeNull();
  expect(textOf(new Uint8Array([0xff, 0xfe, 0x41]))).toBeNull();
});

test('base64 holds for many bytes', () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
  const back = atob(toBase64(bytes));
  expect(back.length).toBe(bytes.length);
  expect([...back].every((char, at) => char.charCodeAt(0) === at % 256)).toBe(true);
});

test('line endings that were not touched stay as they were', () => {
  const original = 'one\r\ntwo\nthree\r\nfour\r\n';
  expect(withEndingsOf(original, asLines(original))).toBe(original);
  expect(withEndingsOf(original, 'one\ntwo\nthree!\nnew\nfour\n')).toBe(
    'one\r\ntwo\nthree!\r\nnew\r\nfour\r\n',
  );
  expect(withEndingsOf('a\nb', 'a\nc')).toBe('a\nc');
  expect(withEndingsOf('a\r\nb', 'a\nb\nc')).toBe('a\r\nb\r\nc');
});
