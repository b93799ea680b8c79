import { Badge } from '@mantine/core';

const outcomes: Record<string, { label: string; color: string }> = {
  succeeded: { label: 'Succeeded', color: 'green' },
  failed: { label: 'Failed', color: 'red' },
  abandoned: { label: 'Abandoned', color: 'gray' },
};

export function OutcomeBadge({ outcome }: { outcome: string | null | undefined }) {
  const known = outcome ? outcomes[outcome] : { label: 'Going on', color: 'blue' };
  return <Badge color={known?.color ?? 'gray'}>{known?.label ?? outcome}</Badge>;
}
