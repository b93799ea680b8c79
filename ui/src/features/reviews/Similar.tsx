/** Skills that are there already and may do the same. */
import { Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, call } from '@/api/client';
import { scopeLabel } from '@/components/badges';
import { Loaded } from '@/components/page';
import { percent } from '@/components/time';
import classes from './review.module.css';
import { type Detail, Section } from './SkillContent';

/** From here on two skills are likely to serve the same requests. */
const DUPLICATE = 0.8;

export function Similar({ skill }: { skill: Detail }) {
  const found = useQuery({
    queryKey: ['skills', 'similar', skill.id, skill.version],
    queryFn: () =>
      call(
        api.POST('/api/v1/skills/search', {
          body: {
            query: skill.description.slice(0, 2000),
            status: 'active',
            nearest: false,
            min_similarity: 0.4,
            limit: 6,
            explain: false,
          },
        }),
      ),
  });
  return (
    <Section title="Similar skills">
      <Loaded query={found} skeleton={<Skeleton height={44} radius="md" />}>
        {({ items }) => {
          const others = items.filter((item) => item.skill.id !== skill.id);
          if (others.length === 0)
            return (
              <Text size="sm" c="dimmed">
                No active skill does something like this.
              </Text>
            );
          return (
            <Stack gap={4}>
              {others.map(({ skill: other, similarity, why }) => (
                <Link
                  key={other.id}
                  to="/skills/$skillId"
                  params={{ skillId: other.id }}
                  className={classes.similar}
                  title={why}
                >
                  <Text size="sm" fw={550} className={classes.cut}>
                    {other.title || other.name}
                  </Text>
                  <Group gap={6} wrap="nowrap">
                    {similarity >= DUPLICATE && <Badge color="orange">Possible duplicate</Badge>}
                    <Text size="xs" c="dimmed">
                      {scopeLabel(other.scope.kind)}
                    </Text>
                    <Text size="sm" c="dimmed" className={classes.number}>
                      {percent(similarity)}
                    </Text>
                  </Group>
                </Link>
              ))}
            </Stack>
          );
        }}
      </Loaded>
    </Section>
  );
}
