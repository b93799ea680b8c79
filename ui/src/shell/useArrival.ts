/** After going to another page the keyboard and the screen reader stand at its heading, not where the old page was left. */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

export function useArrival(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (!pathChanged || !fromLocation) return;
        const main = document.getElementById('main');
        // Tabs stay where they are: whoever moves among them keeps their place.
        if (!main || (main !== document.activeElement && main.contains(document.activeElement))) return;
        if (document.activeElement?.closest('[role="dialog"]')) return;
        const heading = main.querySelector('h1') ?? main;
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
      }),
    [router],
  );
}
