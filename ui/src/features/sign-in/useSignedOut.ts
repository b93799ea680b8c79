/** Leads to the sign-in page when the server no longer knows this browser, and back afterwards. */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError } from '@/api/client';
import { queryClient } from '@/api/queries';

export function useSignedOut(): void {
  const router = useRouter();
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'error') return;
        const { error } = event.action;
        if (!(error instanceof ApiError) || error.status !== 401) return;
        const { pathname, href } = router.state.location;
        if (pathname === '/sign-in') return;
        queryClient.removeQueries({ queryKey: ['users', 'me'] });
        void router.navigate({ to: '/sign-in', search: { next: href } });
      }),
    [router],
  );
}
