/** How code looks and behaves, in editors and in read-only views alike. */

import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { markdown } from '@codemirror/lang-markdown';
import { python } from '@codemirror/lang-python';
import { yaml, yamlFrontmatter } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { styleNonce } from '@/nonce';
import type { Language } from './language';
import { oneMarker } from './lists';

export function languageSupport(language: Language): Extension {
  switch (language) {
    case 'markdown':
      return [yamlFrontmatter({ content: markdown() }), oneMarker];
    case 'python':
      return python();
    case 'javascript':
      return javascript({ typescript: true });
    case 'yaml':
      return yaml();
    case 'json':
      return json();
    default:
      return [];
  }
}

/** Colours stand in CSS variables (code.css), so that they change with the colour scheme. */
const colours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword],
    color: 'var(--code-keyword)',
  },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.meta], color: 'var(--code-comment)', fontStyle: 'italic' },
  {
    tag: [
      tags.function(tags.variableName),
      tags.function(tags.definition(tags.variableName)),
      tags.className,
    ],
    color: 'var(--code-function)',
  },
  {
    tag: [tags.propertyName, tags.attributeName, tags.definition(tags.propertyName)],
    color: 'var(--code-property)',
  },
  { tag: tags.heading, fontWeight: '650', color: 'var(--code-heading)' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.link, tags.url], color: 'var(--code-link)' },
  { tag: tags.monospace, color: 'var(--code-string)' },
]);

const look = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: 'transparent', color: 'var(--mantine-color-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.6' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--mantine-color-dimmed)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--code-line)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--code-line)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--code-selection) !important',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    border: '1px solid var(--repertoire-line)',
    borderRadius: '6px',
    color: 'var(--mantine-color-text)',
  },
  '.cm-panels': { backgroundColor: 'var(--repertoire-side)', color: 'var(--mantine-color-text)' },
});

/** Letters that nobody sees and models read: tags, joiners, and selectors that follow each other. */
const unseen = /[\u2060-\u206f]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0f]{2,}/gu;

export const appearance: Extension = [
  EditorView.cspNonce.of(styleNonce),
  look,
  syntaxHighlighting(colours),
  EditorView.lineWrapping,
  highlightSpecialChars({ addSpecialChars: unseen }),
];
