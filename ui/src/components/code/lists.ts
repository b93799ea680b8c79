/**
 * Enter continues a list with its next marker. Whoever types that marker themselves, as one does elsewhere, would get
 * it twice ("2. 2."): the second is taken as the first.
 */
import type { EditorState, TransactionSpec } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

const TWICE = /^(\s*)(\d+[.)]|[-*+]) \2$/;
const ITEM = /^\s*(?:\d+[.)]|[-*+]) /;

/** What typing a space does instead, where it would end a marker that stands there already. */
export function withoutSecondMarker(state: EditorState, from: number): TransactionSpec | null {
  const line = state.doc.lineAt(from);
  const twice = TWICE.exec(line.text);
  // Only below another item: elsewhere it may become a rule, such as "- - -".
  if (!twice || from !== line.to || line.number === 1) return null;
  let above = state.doc.line(line.number - 1);
  if (!above.text.trim() && above.number > 1) above = state.doc.line(above.number - 1);
  if (!ITEM.test(above.text)) return null;
  const [, indent = '', marker = ''] = twice;
  return {
    changes: { from: line.from + indent.length + marker.length + 1, to: from },
    userEvent: 'input.type',
  };
}

export const oneMarker = EditorView.inputHandler.of((view, from, to, text) => {
  if (text !== ' ' || from !== to || view.composing || view.state.readOnly) return false;
  const change = withoutSecondMarker(view.state, from);
  if (change) view.dispatch(change);
  return change !== null;
});
