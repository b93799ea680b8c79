/** The skills a filter lets through. Only what is near the window is drawn, so that ten thousand scroll like ten. */
import { useMediaQuery } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Schemas } from '@/api/client';
import { type SkillListQuery, skillsQuery } from '@/api/queries';
import { Failure, ListSkeleton } from '@/components/page';
import classes from './library.module.css';
import { SkillRow } from './SkillRow';

type Skill = Schemas['SkillView'];

const ROW = 68;
const CARD = 138;
/** How many rows before the end of what is loaded the next page is asked for. */
const AHEAD = 80;

type ListProps = {
  filter: SkillListQuery;
  label: string;
  /** Stands there when nothing passes the filter. */
  empty: ReactNode;
  /** What stands above the rows; told how many there are. */
  head?: (total: number) => ReactNode;
};

export function SkillList({ filter, label, empty, head }: ListProps) {
  const query = useInfiniteQuery({ ...skillsQuery(filter), placeholderData: keepPreviousData });
  const pages = query.data?.pages;
  const items = useMemo(() => pages?.flatMap((page) => page.items as Skill[]) ?? [], [pages]);
  if (!pages) {
    if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
    return <ListSkeleton rows={9} height={ROW - 8} />;
  }
  const total = Math.max(query.hasNextPage ? (pages[0]?.total ?? 0) : 0, items.length);
  if (total === 0) return empty;
  return (
    <>
      {head?.(total)}
      <Rows
        items={items}
        total={total}
        label={label}
        fading={query.isPlaceholderData}
        more={() => {
          if (query.hasNextPage && !query.isFetching && !query.isFetchNextPageError)
            void query.fetchNextPage();
        }}
      />
      {query.isFetchNextPageError && <Failure error={query.error} retry={() => void query.fetchNextPage()} />}
    </>
  );
}

type RowsProps = { items: Skill[]; total: number; label: string; fading: boolean; more: () => void };

function Rows({ items, total, label, fading, more }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  // Rows get the same box each time: another page must not draw those again that are there.
  const shown = useRef(items);
  shown.current = items;
  const height = useMediaQuery('(max-width: 62em)') ? CARD : ROW;
  const above = useAbove(list);
  // Both must stay the same from one drawing to the next: everything is measured again when they change.
  const estimateSize = useCallback(() => height, [height]);
  const getItemKey = useCallback((index: number) => items[index]?.id ?? index, [items]);
  const virtualizer = useWindowVirtualizer({
    count: total,
    overscan: 8,
    scrollMargin: above,
    estimateSize,
    getItemKey,
  });
  // Another height moves every row.
  useLayoutEffect(() => virtualizer.measure(), [height, virtualizer]);
  const drawn = virtualizer.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last > items.length - AHEAD) more();
  });
  return (
    <ul
      ref={list}
      aria-label={label}
      className={classes.list}
      data-fading={fading || undefined}
      style={{ height: virtualizer.getTotalSize() }}
    >
      {drawn.map(({ index, key, start, size }) => {
        const skill = items[index];
        return (
          <li
            key={key}
            className={classes.place}
            style={{ transform: `translateY(${start - above}px)`, height: size }}
            aria-setsize={total}
            aria-posinset={index + 1}
          >
            {skill ? <SkillRow skill={skill} shown={shown} /> : <div className={classes.waiting} />}
          </li>
        );
      })}
    </ul>
  );
}

/** How far below the top of the page something stands; whatever is above it may grow. */
function useAbove(ref: RefObject<HTMLElement | null>): number {
  const [above, setAbove] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (ref.current) setAbove(Math.round(ref.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(document.body);
    for (let node = ref.current?.parentElement; node; node = node.parentElement) watcher.observe(node);
    return () => watcher.disconnect();
  }, [ref]);
  return above;
}
