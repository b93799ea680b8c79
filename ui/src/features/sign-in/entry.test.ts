import { expect, test } from 'vitest';
import { localPath, problemWords, readPasted } from './entry';

const here = 'http://127.0.0.1:7400';

test('a whole link, its secret and a token are told apart', () => {
  expect(readPasted(` ${here}/sign-in?link=rpl_abc%2D1 \n`)).toEqual({ link: 'rpl_abc-1' });
  expect(readPasted('rpl_abc')).toEqual({ link: 'rpl_abc' });
  expect(readPasted('rpt_abc')).toEqual({ token: 'rpt_abc' });
  expect(readPasted('hello')).toBeNull();
  expect(readPasted(`${here}/sign-in?link=%E0%A4%A`)).toEqual({ link: '%E0%A4%A' });
});

test('only a place of this app is gone to', () => {
  expect(localPath('/skills?q=a#b', here)).toBe('/skills?q=a#b');
  for (const elsewhere of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    'skills',
    '/sign-in?next=/skills',
    undefined,
  ]) {
    expect(localPath(elsewhere, here)).toBeNull();
  }
});

test('a problem that nobody foresaw is still said', () => {
  expect(problemWords('unauthenticated')).toContain('expired');
  expect(problemWords('strange')).toContain('strange');
});
