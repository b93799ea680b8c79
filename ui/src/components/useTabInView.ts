/** On a narrow screen the row of tabs moves sideways; the one that is open must not be the one that is cut off. */
import { useEffect } from 'react';

export function useTabInView(open: string): void {
  // Another open tab is the reason to look again.
  useEffect(() => {
    document
      .querySelector('[role="tab"][aria-selected="true"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [open]);
}
