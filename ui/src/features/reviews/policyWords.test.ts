import { expect, test } from 'vitest';
import { policyWords } from './policyWords';

test('a policy reads as sentences', () => {
  expect(
    policyWords({
      keywords: ['invoice'],
      allowed_tools: ['read_file'],
      forbidden_tools: ['send_email'],
      max_steps: 5,
      validators: [{ path_prefix: ['/mnt/data'] }],
    }),
  ).toEqual([
    'Active when the task contains one of: invoice.',
    'Only these tools: read_file.',
    'Never these tools: send_email.',
    'At most 5 steps.',
    'Paths must begin with: /mnt/data.',
  ]);
});

test('an empty list of tools allows nothing, no list restricts nothing', () => {
  expect(policyWords({ always: true, allowed_tools: [] })).toEqual([
    'Active for every task.',
    'No tool at all.',
  ]);
  expect(policyWords({ always: true })).toEqual(['Active for every task.']);
});
