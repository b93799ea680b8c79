/** What a policy is, for a skill that has none, and the way to its first one. */
import { SimpleGrid, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { IconShieldHalf } from '@tabler/icons-react';
import { Empty } from '@/components/page';
import classes from './policy.module.css';
import { templates } from './templates';

type Props = {
  /** Why it cannot be added, where that is so. */ why: string | null;
  onAdd: (text: string) => void;
};

export function NoPolicy({ why, onAdd }: Props) {
  return (
    <Stack>
      <Empty icon={IconShieldHalf} title="This skill has no policy">
        <Text inherit>
          A policy is what a skill <b>bounds</b>: when it is active, which tools an agent may call and with
          which arguments, and how long it may go on. It stands in <code>repertoire.yaml</code>. All policies
          that are active for a task hold together, and deny wins over allow.
        </Text>
        {why && (
          <Text inherit mt="xs">
            {why}
          </Text>
        )}
      </Empty>
      {!why && (
        <>
          <Title order={2} size="h5" mt="xs">
            Begin with one of these
          </Title>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            {templates.map(({ label, about, text }) => (
              <UnstyledButton key={label} className={classes.template} onClick={() => onAdd(text)}>
                <Text fw={600} size="sm">
                  {label}
                </Text>
                <Text size="sm" c="dimmed">
                  {about}
                </Text>
              </UnstyledButton>
            ))}
          </SimpleGrid>
        </>
      )}
    </Stack>
  );
}
