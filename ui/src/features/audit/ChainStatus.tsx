/** Whether the chain is whole, as the server found when it last recomputed every hash. */
import { Alert, Button, Code, Group, List, Skeleton, Text } from '@mantine/core';
import { IconShieldCheck, IconShieldX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import { Failure } from '@/components/page';
import { Ago, counted } from '@/components/time';

export function ChainStatus() {
  const chain = useQuery({
    // No topic of its own: walking the whole chain after every entry would be a burden.
    queryKey: ['verification'],
    queryFn: () => call(api.GET('/api/v1/audit/verification')),
    staleTime: 5 * 60_000,
    refetchOnWindowFocus: false,
  });
  if (chain.error) return <Failure error={chain.error} retry={() => void chain.refetch()} />;
  if (!chain.data) return <Skeleton height={72} radius="md" mb="md" />;
  const { valid, entries, decisions, head, problems } = chain.data;
  return (
    <Alert
      color={valid ? 'teal' : 'red'}
      icon={valid ? <IconShieldCheck size={22} /> : <IconShieldX size={22} />}
      title={valid ? 'The chain is whole' : 'The chain is broken'}
      mb="lg"
      role={valid ? 'status' : 'alert'}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {counted(entries, 'entry', 'entries')}
          {decisions > 0 && ` and ${counted(decisions, 'sealed decision')}`} checked{' '}
          <Ago at={new Date(chain.dataUpdatedAt).toISOString()} span inherit />
        </Text>
        <Button size="compact-sm" loading={chain.isFetching} onClick={() => void chain.refetch()}>
          Check again
        </Button>
      </Group>
      {problems.length > 0 && (
        <List size="sm" mt="xs">
          {problems.map((problem) => (
            <List.Item key={problem}>{problem}</List.Item>
          ))}
        </List>
      )}
      <Text size="xs" c="dimmed" mt={6} style={{ overflowWrap: 'anywhere' }}>
        Last hash <Code>{head}</Code>: keep it elsewhere, and compare.
      </Text>
    </Alert>
  );
}
