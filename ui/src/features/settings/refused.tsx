import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { ApiError, messageOf } from '@/api/client';
import { failed } from '@/components/feedback';

/** Says why somebody must stay as they are. */
export function refused(error: unknown): void {
  if (error instanceof ApiError && error.code === 'last_admin') {
    modals.open({
      title: 'The last admin stays',
      children: (
        <Text size="sm">
          {messageOf(error)}. A workspace without an admin could never be managed again: give somebody else
          the role first.
        </Text>
      ),
    });
  } else {
    failed(error);
  }
}

/** Says at its field what the server would not take, and everything else in a notice. */
export function atField(say: (problem: string) => void): (error: unknown) => void {
  return (error) => {
    if (error instanceof ApiError && !error.isOffline) say(messageOf(error));
    else failed(error);
  };
}
