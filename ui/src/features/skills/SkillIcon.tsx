/** The icon of a skill: the emoji it was given, else the first letter of its title. */
import { Avatar, type AvatarProps } from '@mantine/core';

export function iconOf(icon: string | null | undefined, title: string): string {
  return (icon && !/^[\w-]+$/.test(icon) ? icon : title.trim().charAt(0).toUpperCase()) || '·';
}

export function SkillIcon({ icon, title, ...props }: { icon?: string | null; title: string } & AvatarProps) {
  return (
    <Avatar radius="md" color={icon ? 'gray' : 'ink'} variant="light" aria-hidden {...props}>
      {iconOf(icon, title)}
    </Avatar>
  );
}
