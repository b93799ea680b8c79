import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { withoutSecondMarker } from './lists';

function typeSpaceAfter(doc: string): string {
  const state = EditorState.create({ doc });
  const change = withoutSecondMarker(state, doc.length);
  return change ? state.update(change).state.doc.toString() : `${doc} `;
}

test('a marker that the list put in and a person typed again stands there once', () => {
  expect(typeSpaceAfter('1. Read\n2. 2.')).toBe('1. Read\n2. ');
  expect(typeSpaceAfter('- Read\n- -')).toBe('- Read\n- ');
  expect(typeSpaceAfter('1. Read\n\n2. 2.')).toBe('1. Read\n\n2. ');
  expect(typeSpaceAfter('* a\n  * b\n  * *')).toBe('* a\n  * b\n  * ');
});

test('a rule, another number and running text are left alone', () => {
  for (const doc of ['Text\n\n- -', '- -', '1. Read\n2. 3.', '1. Read\n2. Pay 2.'])
    expect(typeSpaceAfter(doc)).toBe(`${doc} `);
});
