/** The page of what is not there, with the way on. */
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { Empty, Page } from './page';

type Props = Pick<ComponentProps<typeof Empty>, 'icon' | 'title' | 'children'> & {
  /** The title of the page. */
  page: string;
};

export function NotHere({ page, ...props }: Props) {
  return (
    <Page title={page} width="text">
      <Empty
        {...props}
        actions={
          <Button component={Link} to="/skills" variant="filled">
            Go to the library
          </Button>
        }
      />
    </Page>
  );
}
