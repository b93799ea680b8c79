/** A button that leads to another page of the app. */
import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type PlainProps = ButtonProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> & { ref?: Ref<HTMLAnchorElement> };

function Plain(props: PlainProps) {
  return <Button component="a" {...props} />;
}

export const ButtonLink = createLink(Plain);
