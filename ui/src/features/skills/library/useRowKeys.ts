/** The keys of the library: j and k go from skill to skill, x chooses one. Enter opens it, as for every link. */
import { useEffect } from 'react';
import { isTyping } from '@/shell/Shortcuts';

const LINK = '[data-skill-link]';

export function useRowKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (document.querySelector('[role="dialog"]')) return;
      const links = [...document.querySelectorAll<HTMLElement>(LINK)];
      const row = document.activeElement?.closest('article');
      const here = row?.querySelector<HTMLElement>(LINK);
      if (event.key === 'x' && row) {
        event.preventDefault();
        row.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click();
        return;
      }
      if (event.key !== 'j' && event.key !== 'k') return;
      event.preventDefault();
      // Rows stand in the document in the order they are drawn; those nearby are always there.
      const at = here ? links.indexOf(here) + (event.key === 'j' ? 1 : -1) : firstInSight(links);
      const next = links[at];
      next?.focus({ preventScroll: true });
      next?.closest('article')?.scrollIntoView({ block: 'nearest' });
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

function firstInSight(links: HTMLElement[]): number {
  return Math.max(
    0,
    links.findIndex((link) => link.getBoundingClientRect().top >= 0),
  );
}
