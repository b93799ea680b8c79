import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Copyable } from '@/components/Copyable';

/** A secret that is shown now and never again. */
export function Once({ label, secret, about }: { label: string; secret: string; about: string }) {
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<IconAlertTriangle size={18} />} py="xs">
        Copy it now. It is not shown again.
      </Alert>
      <Copyable label={label} text={secret} />
      <Text size="sm" c="dimmed">
        {about}
      </Text>
      <Group justify="flex-end">
        <Button variant="filled" onClick={() => modals.closeAll()}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
