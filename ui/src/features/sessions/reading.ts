/** How a conversation is read: its entries, its end in sight, and nothing sent before it is known. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { AT_ONCE, type Entry, entriesQuery } from './queries';

/**
 * The entries of a session, so many at once that most need no asking for more; all of them for whoever writes, since
 * what they add comes last.
 */
export function useEntries(id: string, all: boolean) {
  const query = useInfiniteQuery(entriesQuery(id));
  const entries = useMemo(
    () => (query.data?.pages ?? []).flatMap((page) => page.items as Entry[]),
    [query.data],
  );
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const wanted = hasNextPage && (all || entries.length < AT_ONCE);
  useEffect(() => {
    // What failed is asked for again by a person, not without end.
    if (wanted && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [wanted, isFetching, isFetchNextPageError, fetchNextPage]);
  return { query, entries, wanted };
}

/** Holds back what is sent before a conversation is read: until then nobody knows in which code session its files are. */
export function useOnceRead(unread: boolean, send: (text: string) => Promise<boolean>) {
  const latest = useRef(send);
  latest.current = send;
  const gate = useRef<{ waiting: (() => void)[]; open: boolean }>({ waiting: [], open: false });
  useEffect(() => {
    if (unread) return;
    gate.current.open = true;
    for (const go of gate.current.waiting.splice(0)) go();
  }, [unread]);
  return async (text: string) => {
    if (!gate.current.open) await new Promise<void>((go) => gate.current.waiting.push(go));
    return latest.current(text);
  };
}

/** Keeps the end in sight of whoever writes, while it grows, unless they scrolled up to read. */
export function useEnd(wanted: boolean, sent: number) {
  const place = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  const toEnd = useCallback(() => {
    window.scrollTo({ top: document.documentElement.scrollHeight });
  }, []);
  useEffect(() => {
    if (!wanted || !place.current) return;
    const scrolled = () => {
      pinned.current = window.innerHeight + window.scrollY > document.documentElement.scrollHeight - NEAR_END;
    };
    const watch = new ResizeObserver(() => {
      if (pinned.current) toEnd();
    });
    watch.observe(place.current);
    window.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      watch.disconnect();
      window.removeEventListener('scroll', scrolled);
    };
  }, [wanted, toEnd]);
  useEffect(() => {
    if (sent === 0) return;
    pinned.current = true;
    toEnd();
  }, [sent, toEnd]);
  return place;
}

/** So many pixels from the end still count as being there. */
const NEAR_END = 160;
