/** A link in running text that knows the app's addresses. */
import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type PlainProps = AnchorProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> & { ref?: Ref<HTMLAnchorElement> };

function Plain(props: PlainProps) {
  return <Anchor underline="always" {...props} />;
}

export const AppLink = createLink(Plain);
