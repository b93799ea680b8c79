/** A code editor: highlighting, findings in the gutter, undo, search. Loaded only by pages that show code. */
import { closeBrackets } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, type ChangeSpec, Compartment, EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { Language } from './language';
import { appearance, languageSupport } from './setup';
import './code.css';

export type Mark = { line: number; level: 'error' | 'warning' | 'info'; message: string };

type EditorProps = {
  value: string;
  onChange?: (value: string) => void;
  language: Language;
  readOnly?: boolean;
  marks?: Mark[];
  /** What it is, for those who cannot see it. */
  label: string;
  height?: string;
  maxHeight?: string;
  /** Goes to a line; another object goes there again. */
  jump?: { line: number } | null;
};

/** Marks a change that came from outside, of which nobody needs to be told. */
const fromOutside = Annotation.define<boolean>();

function named({ language, label }: Pick<EditorProps, 'language' | 'label'>) {
  return [languageSupport(language), EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })];
}

/** The one stretch in which two texts differ, so that caret and scroll position outside of it stay. */
function difference(before: string, after: string): ChangeSpec {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { from: head, to: before.length - tail, insert: after.slice(head, after.length - tail) };
}

export default function Editor(props: EditorProps) {
  const { value, language, readOnly = !props.onChange, marks, label, height, maxHeight } = props;
  const marked = Boolean(marks);
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(props.onChange);
  changed.current = props.onChange;
  const first = useRef(value);
  const writing = useRef(new Compartment());
  const past = useRef(new Compartment());
  const naming = useRef(new Compartment());
  const start = useRef({ language, label });
  // What was told and has not come back as `value` yet: letters may be typed faster than the page is drawn.
  const told = useRef<string[]>([]);

  useEffect(() => {
    if (!place.current) return;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          appearance,
          naming.current.of(named(start.current)),
          lineNumbers(),
          drawSelection(),
          bracketMatching(),
          search({ top: true }),
          highlightSelectionMatches(),
          // Ctrl-Enter runs code; here it would put in a blank line besides.
          keymap.of([
            ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
            ...historyKeymap,
            ...searchKeymap,
          ]),
          writing.current.of([]),
          // Apart from the rest, so that undo outlives a moment in which nothing can be written.
          past.current.of(history()),
          EditorView.updateListener.of((update) => {
            const outside = update.transactions.some((change) => change.annotation(fromOutside));
            if (!update.docChanged || outside || !changed.current) return;
            const text = update.state.doc.toString();
            told.current.push(text);
            changed.current(text);
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      first.current = editor.state.doc.toString();
      told.current = [];
      editor.destroy();
      view.current = null;
    };
  }, []);

  // A renamed file keeps its caret and its undo history: only its name and language change.
  useEffect(() => {
    start.current = { language, label };
    view.current?.dispatch({ effects: naming.current.reconfigure(named({ language, label })) });
  }, [language, label]);

  useEffect(() => {
    view.current?.dispatch({
      effects: writing.current.reconfigure(
        readOnly
          ? [EditorState.readOnly.of(true), marked ? lintGutter() : []]
          : [
              closeBrackets(),
              indentOnInput(),
              highlightActiveLine(),
              highlightActiveLineGutter(),
              lintGutter(),
              // Tab indents only after typing has begun; Escape gives it back, so nobody is caught in here.
              keymap.of([indentWithTab]),
            ],
      ),
    });
  }, [readOnly, marked]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const back = told.current.lastIndexOf(value);
    if (back >= 0) {
      told.current.splice(0, back + 1);
      return;
    }
    told.current = [];
    if (editor.state.doc.toString() !== value) {
      editor.dispatch({
        changes: difference(editor.state.doc.toString(), value),
        annotations: fromOutside.of(true),
      });
      // Nobody could write, so there is nothing to take back, least of all this.
      if (editor.state.readOnly) {
        editor.dispatch({ effects: past.current.reconfigure([]) });
        editor.dispatch({ effects: past.current.reconfigure(history()) });
      }
    }
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !marks) return;
    const { doc } = editor.state;
    const diagnostics = marks.map((mark): Diagnostic => {
      const line = doc.line(Math.min(Math.max(mark.line, 1), doc.lines));
      return { from: line.from, to: line.to, severity: mark.level, message: mark.message };
    });
    editor.dispatch(setDiagnostics(editor.state, diagnostics));
  }, [marks, value]);

  const { jump } = props;
  useEffect(() => {
    const editor = view.current;
    if (!editor || !jump) return;
    const { doc } = editor.state;
    const line = doc.line(Math.min(Math.max(jump.line, 1), doc.lines));
    editor.dispatch({
      selection: { anchor: line.from },
      effects: EditorView.scrollIntoView(line.from, { y: 'center' }),
    });
    editor.focus();
  }, [jump]);

  return (
    <div
      ref={place}
      className="code-frame"
      data-read-only={readOnly || undefined}
      style={{ height, maxHeight, overflow: height || maxHeight ? 'auto' : undefined }}
    />
  );
}
