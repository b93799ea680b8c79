import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Empty, Page } from '@/components/page';

export function NotFound() {
  return (
    <Page title="Nothing here" width="text">
      <Empty
        icon={IconMapOff}
        title="There is no page at this address"
        actions={
          <Button component={Link} to="/skills" variant="filled">
            Go to the library
          </Button>
        }
      >
        It may have been moved, or the link was cut off.
      </Empty>
    </Page>
  );
}
