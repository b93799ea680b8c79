/** Does the same to many, a few at a time, and keeps what came of each. */

export type Outcome<T, R> = { done: { item: T; result: R }[]; failed: { item: T; error: unknown }[] };

/** Runs a task for each item, at most `width` at once. After the signal nothing more is begun. */
export async function runAll<T, R>(
  items: readonly T[],
  task: (item: T) => Promise<R>,
  options: { width?: number; signal?: AbortSignal; onProgress?: (finished: number) => void } = {},
): Promise<Outcome<T, R>> {
  const { width = 4, signal, onProgress } = options;
  const outcome: Outcome<T, R> = { done: [], failed: [] };
  const queue = items.values();
  const work = async () => {
    for (const item of queue) {
      try {
        outcome.done.push({ item, result: await task(item) });
      } catch (error) {
        outcome.failed.push({ item, error });
      }
      onProgress?.(outcome.done.length + outcome.failed.length);
      if (signal?.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work));
  return outcome;
}
