/**
 * A decision is about what was read. What a person reads stays in front of them when a newer revision comes: they are
 * told, and nothing is decided before they looked at it.
 */
import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useEffect, useReducer, useRef } from 'react';
import type { Schemas } from '@/api/client';
import { useNames } from '@/components/names';
import { waits } from './decisions';

type Detail = Schemas['SkillDetailView'];

/** What was last shown of each skill. */
export type Seen = Map<string, Detail>;

/** Whether the one would decide about something else than the other. */
export const differs = (read: Detail, now: Detail): boolean =>
  read.shown.number !== now.shown.number || (read.promotion?.kind ?? null) !== (now.promotion?.kind ?? null);

/** What came while somebody was reading; null where it is what they read. */
export function newsSince(read: Detail, now: Detail): string | null {
  if (!waits(now) || !differs(read, now)) return null;
  if (read.shown.number !== now.shown.number)
    return `Revision ${now.shown.number} came while you were reading`;
  return now.promotion
    ? 'A promotion was asked for while you were reading'
    : 'The promotion was withdrawn while you were reading';
}

/** `skill` is what to show, `news` why nothing can be decided about it, `look` goes on to what came. */
export function useSeen<D extends Detail | null | undefined>(now: D, shared?: Seen) {
  const own = useRef<Seen>(new Map());
  const seen = shared ?? own.current;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const read = now && seen.get(now.id);
  const news = read ? newsSince(read, now) : null;
  const skill = (news ? read : now) as D;
  useEffect(() => {
    if (skill) seen.set(skill.id, skill);
  }, [seen, skill]);
  const look = () => {
    if (now) seen.set(now.id, now);
    redraw();
  };
  return { skill, news, look };
}

const LOOK = 'look-at-news';

/** Takes a person who pressed a key to what they have to look at first. */
export const pointAtNews = (): void => document.getElementById(LOOK)?.focus();

type NewsProps = { read: Detail; now: Detail; news: string; look: () => void };

export function News({ read, now, news, look }: NewsProps) {
  const names = useNames();
  const [from, to] = [read.shown.number, now.shown.number];
  return (
    <Alert variant="light" color="yellow" role="alert" icon={<IconUsers size={20} />} title={news}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 16rem">
          {from === to
            ? 'Look at it before you decide.'
            : `${names.user(now.shown.author_id)} saved it. You still see revision ${from}; look at the new one before you decide.`}{' '}
          {from !== to && (
            <Anchor
              size="sm"
              c="inherit"
              underline="always"
              href={`/skills/${now.id}/history?from=${from}&to=${to}`}
              target="_blank"
            >
              See what changed, in a new tab
            </Anchor>
          )}
        </Text>
        <Button id={LOOK} size="xs" onClick={look}>
          Look at it
        </Button>
      </Group>
    </Alert>
  );
}
