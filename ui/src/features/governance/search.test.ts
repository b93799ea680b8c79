import { expect, test } from 'vitest';
import { benchOf, readBenchSearch, readDecisionSearch } from './search';

test('addresses keep what they know and drop the rest', () => {
  expect(readDecisionSearch({ verdict: 'denied', tool: 'Bash', page: 2, kind: '' })).toEqual({
    verdict: 'denied',
    tool: 'Bash',
  });
  expect(readBenchSearch({ context: { environment: 'test' }, task: 'tidy up' })).toEqual({
    task: 'tidy up',
    context: '{"environment":"test"}',
  });
});

test('a decision becomes a question without what only the server says', () => {
  const asked = benchOf({
    task: 'deploy',
    context: { caller: { roles: ['admin'] }, environment: 'production' },
    tool: 'Bash',
    arguments: { command: 'rm -rf build' },
  });
  expect(JSON.parse(asked.context ?? '')).toEqual({ environment: 'production' });
  expect(asked.tool).toBe('Bash');
});
