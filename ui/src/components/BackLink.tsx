/** The way back, above the title of a page. */
import { Anchor, type AnchorProps, Group } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type PlainProps = AnchorProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> & { ref?: Ref<HTMLAnchorElement> };

function Plain({ children, ...props }: PlainProps) {
  return (
    <Anchor size="sm" c="dimmed" mb="xs" display="inline-block" {...props}>
      <Group gap={4} component="span">
        <IconArrowLeft size={14} aria-hidden /> {children}
      </Group>
    </Anchor>
  );
}

export const BackLink = createLink(Plain);
