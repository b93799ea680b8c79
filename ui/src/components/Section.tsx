import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

/** A part of a page with its heading. */
export function Section({
  title,
  about,
  actions,
  children,
}: {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Stack gap="sm" component="section" aria-labelledby={id}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={2} id={id}>
            {title}
          </Title>
          {about && (
            <Text size="sm" c="dimmed" maw="40rem">
              {about}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
