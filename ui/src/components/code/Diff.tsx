/** Two versions of a text: side by side where there is room, one below the other where there is not. */
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import type { Language } from './language';
import { appearance, languageSupport } from './setup';
import './code.css';

type DiffProps = { before: string; after: string; language: Language; label: string };

export default function Diff({ before, after, language, label }: DiffProps) {
  const place = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });

  useEffect(() => {
    if (!place.current) return;
    const common = (name: string) => [
      appearance,
      languageSupport(language),
      lineNumbers(),
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': name, tabindex: '0' }),
    ];
    const collapse = { margin: 3, minSize: 6 };
    if (narrow) {
      const view = new EditorView({
        parent: place.current,
        doc: after,
        extensions: [
          common(label),
          unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: collapse }),
        ],
      });
      return () => view.destroy();
    }
    const view = new MergeView({
      parent: place.current,
      a: { doc: before, extensions: common(`${label}, before`) },
      b: { doc: after, extensions: common(`${label}, after`) },
      collapseUnchanged: collapse,
      gutter: true,
    });
    return () => view.destroy();
  }, [before, after, language, label, narrow]);

  return <div ref={place} className="code-frame" data-read-only />;
}
