/** How much this server takes, as it says itself. */
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '@/api/queries';
import { bytes } from '@/components/time';

/** Nothing is bounded here before the server said how; it refuses what is too large in any case. */
export function useLimits(): { largestFile: number; words: string } {
  const limits = useQuery(meQuery).data?.limits;
  if (!limits) return { largestFile: Number.POSITIVE_INFINITY, words: '' };
  return {
    largestFile: limits.max_file_bytes,
    words: `At most ${bytes(limits.max_file_bytes)} a file, ${bytes(limits.max_bundle_bytes)} in all`,
  };
}
