/** Says that somebody saved while this person was editing, before they find out by saving. */
import { Alert, Anchor, Text } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useNames } from '@/components/names';
import type { Skill } from './useSkill';

export function Newer({ base, now }: { base: Skill; now: Skill }) {
  const names = useNames();
  if (now.revision <= base.revision) return null;
  return (
    <Alert
      variant="light"
      color="yellow"
      icon={<IconUsers size={20} />}
      title={`Revision ${now.revision} was saved in the meantime`}
      mb="sm"
    >
      <Text size="sm">
        {names.user(now.updated_by)} saved it while you were editing revision {base.revision}. What you wrote
        is still here; when you save you are asked.{' '}
        <Anchor
          size="sm"
          c="inherit"
          underline="always"
          href={`/skills/${now.id}/history?from=${base.revision}&to=${now.revision}`}
          target="_blank"
        >
          See what they changed, in a new tab
        </Anchor>
      </Text>
    </Alert>
  );
}
