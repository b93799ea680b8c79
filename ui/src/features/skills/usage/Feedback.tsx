/** Whether people found the skill helpful, and one's own word on it. */
import { Badge, Button, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { IconThumbDown, IconThumbUp } from '@tabler/icons-react';
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { meQuery, refresh } from '@/api/queries';
import { failed, told } from '@/components/feedback';
import { useNames } from '@/components/names';
import { Loaded } from '@/components/page';
import { Ago } from '@/components/time';

export function Feedback({ skill }: { skill: string }) {
  const me = useSuspenseQuery(meQuery).data.user.id;
  const names = useNames();
  const feedback = useQuery({
    queryKey: ['skills', 'feedback', skill],
    queryFn: () => call(api.GET('/api/v1/skills/{id}/feedback', { params: { path: { id: skill } } })),
  });
  return (
    <section aria-labelledby="feedback">
      <Title order={2} size="h5" id="feedback" mb="xs">
        Feedback
      </Title>
      <Loaded query={feedback}>
        {({ items }) => (
          <Stack gap="sm">
            <Own skill={skill} now={items.find((item) => item.user_id === me)} />
            {items.map((item) => (
              <Group key={item.user_id} gap="sm" align="flex-start" wrap="nowrap">
                <Vote helpful={item.helpful} />
                <div>
                  {item.comment && <Text size="sm">{item.comment}</Text>}
                  <Text size="xs" c="dimmed" component="div">
                    {item.user_id === me ? 'You' : names.user(item.user_id)} · <Ago at={item.at} span />
                  </Text>
                </div>
              </Group>
            ))}
          </Stack>
        )}
      </Loaded>
    </section>
  );
}

function Vote({ helpful }: { helpful: boolean }) {
  return <Badge color={helpful ? 'green' : 'red'}>{helpful ? 'Helpful' : 'Not helpful'}</Badge>;
}

function Own({ skill, now }: { skill: string; now: Schemas['FeedbackView'] | undefined }) {
  const [comment, setComment] = useState(now?.comment ?? '');
  const give = useMutation({
    mutationFn: (helpful: boolean) =>
      call(
        api.POST('/api/v1/skills/{id}/feedback', {
          params: { path: { id: skill } },
          body: { helpful, comment: comment.trim() || null },
        }),
      ),
    onSuccess: () => told('Thank you: your feedback is kept'),
    onError: failed,
    onSettled: () => refresh('skills'),
  });
  const chosen = give.isPending ? give.variables : now?.helpful;
  return (
    <Paper withBorder p="md" radius="md">
      <Text size="sm" fw={550} mb="xs">
        {now ? 'Your feedback' : 'Was this skill helpful to you?'}
      </Text>
      <Textarea
        aria-label="Comment"
        placeholder="What went well, or what is missing (optional)"
        autosize
        minRows={1}
        maxRows={6}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Group gap="xs" mt="sm">
        <Button
          size="xs"
          leftSection={<IconThumbUp size={15} />}
          variant={chosen === true ? 'light' : 'default'}
          aria-pressed={chosen === true}
          disabled={give.isPending}
          onClick={() => give.mutate(true)}
        >
          Helpful
        </Button>
        <Button
          size="xs"
          leftSection={<IconThumbDown size={15} />}
          variant={chosen === false ? 'light' : 'default'}
          aria-pressed={chosen === false}
          disabled={give.isPending}
          onClick={() => give.mutate(false)}
        >
          Not helpful
        </Button>
      </Group>
    </Paper>
  );
}
