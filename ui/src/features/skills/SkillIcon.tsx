/** The icon of a skill: the emoji it was given, else the first letter of its title. */
import { Avatar, type AvatarProps } from '@mantine/core';

export function SkillIcon({ icon, title, ...props }: { icon?: string | null; title: string } & AvatarProps) {
  const shown = icon && !/^[\w-]+$/.test(icon) ? icon : title.trim().charAt(0).toUpperCase();
  return (
    <Avatar radius="md" color={icon ? 'gray' : 'ink'} variant="light" aria-hidden {...props}>
      {shown || '·'}
    </Avatar>
  );
}
