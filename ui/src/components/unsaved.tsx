/** Keeps people from losing what they wrote: asks before they leave a page with unsaved changes. */
import { useBlocker } from '@tanstack/react-router';
import { ask } from './feedback';

export function useUnsavedGuard(changed: boolean): void {
  useBlocker({
    disabled: !changed,
    enableBeforeUnload: () => changed,
    shouldBlockFn: async ({ current, next }) => {
      if (!changed || current.pathname === next.pathname) return false;
      return !(await ask({
        title: 'Leave without saving?',
        message: 'What you changed here is not saved yet.',
        confirm: 'Leave',
      }));
    },
  });
}
