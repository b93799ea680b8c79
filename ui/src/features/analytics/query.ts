import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import { type Span, window } from './figures';

/** How the skills one can see are used; uses change skills' counters, so that their topic tells of it. */
export const analyticsQuery = (span: Span, agent: string | undefined) =>
  queryOptions({
    queryKey: ['skills', 'analytics', span, agent],
    queryFn: () => call(api.GET('/api/v1/analytics', { params: { query: { ...window(span), agent } } })),
    placeholderData: keepPreviousData,
  });
