import { Text } from '@mantine/core';
import { AppLink } from '@/components/AppLink';
import type { Sentence } from './sentences';

/** The thing an entry is about, as a link where it has a page. */
export function SubjectLink({ said: { what, place } }: { said: Sentence }) {
  const look = { inherit: true, fw: 550, c: 'inherit' } as const;
  if (!what) return null;
  if (!place)
    return (
      <Text span inherit fw={550}>
        {what}
      </Text>
    );
  if ('skill' in place)
    return (
      <AppLink to="/skills/$skillId" params={{ skillId: place.skill }} {...look}>
        {what}
      </AppLink>
    );
  if ('agent' in place)
    return (
      <AppLink to="/agents/$agentId" params={{ agentId: place.agent }} {...look}>
        {what}
      </AppLink>
    );
  if ('session' in place)
    return (
      <AppLink to="/conversations/$sessionId" params={{ sessionId: place.session }} {...look}>
        {what}
      </AppLink>
    );
  return (
    <AppLink to={place.path} {...look}>
      {what}
    </AppLink>
  );
}
