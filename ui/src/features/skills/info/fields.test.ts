import { expect, test } from 'vitest';
import { ApiError } from '@/api/client';
import { changedFields, editOf, type Fields, saidOf } from './fields';

const base: Fields = {
  title: 'Release notes',
  name: 'release-notes',
  description: 'Writes them.',
  icon: '🚀',
  tags: ['release'],
  example_prompts: [],
  suggested_tools: [],
  extends: '',
  license: '',
  compatibility: '',
};

test('only what changed is sent, and an emptied field is removed', () => {
  expect(editOf(base, { title: 'Release notes', tags: ['release', 'team'] })).toEqual({
    tags: ['release', 'team'],
  });
  expect(editOf(base, { icon: '', description: ' New. ', example_prompts: ['one', ' '] })).toEqual({
    icon: null,
    description: 'New.',
    example_prompts: ['one'],
  });
  expect(changedFields(base, { tags: ['release'] })).toEqual([]);
});

test('what the server says stands beside the field it is about', () => {
  const finding = { level: 'error', code: 'sidecar_value', message: '`extends`: the name `No` contains `N`' };
  expect(saidOf(new ApiError(422, 'sidecar_invalid', 'not valid', [finding]))).toEqual({
    extends: finding.message,
  });
  expect(saidOf(new ApiError(422, 'invalid_name', 'bad name'))).toEqual({ name: 'bad name' });
  const bound =
    'Failed to deserialize the JSON body into the target type: title: length 300 is too much at line 1';
  expect(saidOf(new ApiError(400, 'invalid_request', bound))).toEqual({ title: 'length 300 is too much' });
  expect(saidOf(new ApiError(403, 'forbidden', 'no'))).toEqual({ '': 'no' });
});
