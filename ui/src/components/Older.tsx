/** The foot of a list that goes on: more comes as one gets there, or by the button. */
import { Button, Group } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useEffect } from 'react';
import { Failure } from './page';

type More = {
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
  error: unknown;
};

type OlderProps = {
  query: More;
  /** Whether more is wanted although nobody has scrolled there. */
  wanted?: boolean;
};

export function Older({ query, wanted = false }: OlderProps) {
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const { ref, entry } = useIntersection({ rootMargin: '400px' });
  const near = entry?.isIntersecting ?? false;
  useEffect(() => {
    // What failed is asked for again by a person, not without end.
    if ((near || wanted) && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [near, wanted, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  if (isFetchNextPageError) return <Failure error={query.error} retry={() => void fetchNextPage()} />;
  if (!hasNextPage) return null;
  return (
    <Group justify="center" py="md" ref={ref}>
      <Button loading={isFetching} onClick={() => void fetchNextPage()}>
        Show older ones
      </Button>
    </Group>
  );
}
