/** Code, and Markdown as it reads: loaded when first shown, so that the first page stays small. */
import { Skeleton } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';

const LazyEditor = lazy(() => import('./Editor'));
const LazyDiff = lazy(() => import('./Diff'));
const LazyMarkdown = lazy(() => import('./Markdown'));

export type { Mark } from './Editor';
export { type Language, languageOf } from './language';

export function CodeEditor(props: ComponentProps<typeof LazyEditor>) {
  return (
    <Suspense fallback={<Skeleton height={props.height ?? 240} radius="md" />}>
      <LazyEditor {...props} />
    </Suspense>
  );
}

export function CodeDiff(props: ComponentProps<typeof LazyDiff>) {
  return (
    <Suspense fallback={<Skeleton height={240} radius="md" />}>
      <LazyDiff {...props} />
    </Suspense>
  );
}

export function Markdown(props: ComponentProps<typeof LazyMarkdown>) {
  return (
    <Suspense fallback={<Skeleton height={120} radius="md" />}>
      <LazyMarkdown {...props} />
    </Suspense>
  );
}
