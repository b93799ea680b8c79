import { beforeEach, expect, test } from 'vitest';
import { forgetTyped, keepTypedOf } from './typed';

beforeEach(() => sessionStorage.clear());

test('what somebody typed stays theirs and goes when another signs in', () => {
  keepTypedOf('mara');
  sessionStorage.setItem('draft', 'Dear Tom');
  keepTypedOf('mara');
  expect(sessionStorage.getItem('draft')).toBe('Dear Tom');
  keepTypedOf('tom');
  expect(sessionStorage.getItem('draft')).toBeNull();
});

test('what was typed goes with who signs out', () => {
  keepTypedOf('mara');
  sessionStorage.setItem('draft', 'Dear Tom');
  forgetTyped();
  keepTypedOf('mara');
  expect(sessionStorage.getItem('draft')).toBeNull();
});
