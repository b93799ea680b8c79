/** Keeps people from losing what they wrote: asks before they leave a page with unsaved changes. */
import { useBlocker } from '@tanstack/react-router';
import { ask } from './feedback';

type Place = { pathname: string; search: unknown };

/** Whether what is written here goes with a step: to another page, or where it is `whole` to another view of this one. */
export function leaves(current: Place, next: Place, whole: boolean): boolean {
  if (current.pathname !== next.pathname) return true;
  return whole && JSON.stringify(current.search) !== JSON.stringify(next.search);
}

export function useUnsavedGuard(changed: boolean, { whole = false } = {}): void {
  useBlocker({
    disabled: !changed,
    enableBeforeUnload: () => changed,
    shouldBlockFn: async ({ current, next }) => {
      if (!changed || !leaves(current, next, whole)) return false;
      return !(await ask({
        title: 'Leave without saving?',
        message: 'What you changed here is not saved yet.',
        confirm: 'Leave',
      }));
    },
  });
}
