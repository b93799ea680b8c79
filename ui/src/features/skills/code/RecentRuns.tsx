/** The last runs of a skill; each fills the form again with what it was called with. */
import { Group, Stack, Text, Title, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import { AppLink } from '@/components/AppLink';
import { Loaded } from '@/components/page';
import classes from './output.module.css';
import type { Values } from './parameters';
import { RunLines } from './RunLines';

export function RecentRuns({ skill, onPick }: { skill: string; onPick: (values: Values) => void }) {
  const runs = useQuery({
    queryKey: ['runs', 'recent', skill],
    queryFn: () =>
      call(api.GET('/api/v1/skills/{id}/runs', { params: { path: { id: skill }, query: { limit: 8 } } })),
  });
  return (
    <section aria-labelledby="recent-runs">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5" id="recent-runs">
          Recent runs
        </Title>
        <AppLink to="/skills/$skillId/usage" params={{ skillId: skill }} size="sm">
          All runs
        </AppLink>
      </Group>
      <Loaded query={runs}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nobody has run it yet.
            </Text>
          ) : (
            <Stack gap={0}>
              {items.map((run) => (
                <div key={run.id} className={classes.row}>
                  <UnstyledButton className={classes.pick} onClick={() => onPick(run.parameters)}>
                    <VisuallyHidden>Fill the form with </VisuallyHidden>
                    <RunLines run={run}>
                      <Text size="sm" ff="monospace" truncate flex={1} miw={0}>
                        {summary(run.parameters)}
                      </Text>
                    </RunLines>
                  </UnstyledButton>
                </div>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </section>
  );
}

function summary(parameters: Values): string {
  const parts = Object.entries(parameters).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return parts.join(', ') || 'without parameters';
}
