import { expect, test } from 'vitest';
import { nameProblem, slug } from './slug';

test('a title suggests a name the server takes', () => {
  expect(slug('  Café & Release Bot! ')).toBe('cafe-release-bot');
  expect(nameProblem(slug('Ünïcode 7'))).toBeNull();
  expect(nameProblem('Two Words')).not.toBeNull();
  expect(nameProblem('')).not.toBeNull();
  expect(slug('x'.repeat(80))).toHaveLength(64);
});
