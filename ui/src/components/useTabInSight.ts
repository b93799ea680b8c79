import { useEffect, useRef } from 'react';

/** Brings the open one of a row of tabs into sight: on a phone it may stand outside. */
export function useTabInSight<T extends HTMLElement>(open: string) {
  const bar = useRef<T>(null);
  useEffect(() => {
    bar.current
      ?.querySelector('[aria-current="page"], [aria-selected="true"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [open]);
  return bar;
}
