import { useState } from 'react';
import { failed } from './feedback';

/** Whether something is being done, and a way to do it; `refused` says what went wrong. */
export function useBusy(refused: (error: unknown) => void = failed) {
  const [busy, setBusy] = useState(false);
  const doing = async (deed: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    try {
      await deed();
    } catch (error) {
      refused(error);
    } finally {
      setBusy(false);
    }
  };
  return { busy, doing };
}
