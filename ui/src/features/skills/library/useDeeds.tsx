/** Does something to many skills: shows how far it is, and says honestly what came of it. */
import { Anchor, List, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { messageOf, type Schemas } from '@/api/client';
import { meQuery, refresh } from '@/api/queries';
import { ask, told } from '@/components/feedback';
import { counted } from '@/components/time';
import { type Deed, deeds } from './deeds';
import { runAll } from './pool';

type Skill = Schemas['SkillView'];
type Failure = { item: Skill; error: unknown };

export type Progress = { doing: string; finished: number; of: number };

const skills = (count: number) => counted(count, 'skill');

/** `afterwards` is told what did not work. */
export function useDeeds(afterwards: (failed: Skill[]) => void) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const stopping = useRef<AbortController | null>(null);
  const window = useQuery(meQuery).data?.workspace.undelete_window_hours ?? 0;

  const work = async <R,>(doing: string, items: readonly Skill[], task: (skill: Skill) => Promise<R>) => {
    stopping.current = new AbortController();
    setProgress({ doing, finished: 0, of: items.length });
    try {
      return await runAll(items, task, {
        signal: stopping.current.signal,
        onProgress: (finished) => setProgress({ doing, finished, of: items.length }),
      });
    } finally {
      setProgress(null);
      await refresh('skills', 'audit');
    }
  };

  const run = async (deed: Deed, chosen: readonly Skill[]): Promise<void> => {
    const suited = chosen.filter(deed.suits);
    if (suited.length === 0) {
      return told(`Nothing to ${deed.word}: ${skills(chosen.length)} chosen, and all of them are so already`);
    }
    const forGood = deed === deeds.remove && window === 0;
    if (forGood) {
      const sure = await ask({
        title: `Delete ${skills(suited.length)}?`,
        message: 'Their content, history and statistics go at once and cannot be brought back.',
        confirm: `Delete ${skills(suited.length)}`,
      });
      if (!sure) return;
    }
    const { done, failed } = await work(deed.doing, suited, deed.act);
    const made = new Map(done.flatMap(({ item, result }) => (result ? [[item.id, result] as const] : [])));
    const changed = done.filter(({ item }) => made.has(item.id)).map(({ item }) => item);
    const stopped = suited.length - done.length - failed.length;
    if (done.length > 0 || stopped > 0) {
      const rest = stopped > 0 ? `, ${stopped} left as they were` : '';
      const { undo, undoable } = deed;
      const reversible = undoable ? changed.filter(undoable) : changed;
      const some = reversible.length > 0 && reversible.length < changed.length;
      const only = some ? `; ${reversible.length} of them can be taken back` : '';
      told(
        `${deed.done} ${skills(done.length)}${rest}${only}`,
        undo && !forGood && reversible.length > 0
          ? async () => {
              const back = await work('Taking back', reversible, (skill) =>
                undo(skill, made.get(skill.id) ?? skill),
              );
              if (back.failed.length === 0) return;
              tellFailures('take back', back.failed, reversible.length);
              throw new Error(`${back.failed.length} of ${skills(reversible.length)} stay as they are`);
            }
          : undefined,
      );
    }
    if (failed.length > 0) tellFailures(deed.word, failed, suited.length);
    afterwards(failed.map(({ item }) => item));
  };

  return { progress, run, stop: () => stopping.current?.abort() };
}

/** Which did not work and why, the same reason told once. */
function tellFailures(word: string, failed: Failure[], of: number): void {
  const byReason = new Map<string, Skill[]>();
  for (const { item, error } of failed) {
    // The server names the skill in some of its sentences; the list names it already.
    const reason = messageOf(error).replaceAll(item.name, '…').replaceAll(item.id, '…');
    byReason.set(reason, [...(byReason.get(reason) ?? []), item]);
  }
  modals.open({
    title: `Could not ${word} ${failed.length} of ${skills(of)}`,
    size: 'lg',
    children: (
      <Stack gap="md">
        {[...byReason].map(([reason, items]) => (
          <div key={reason}>
            <Text size="sm" fw={550}>
              {reason}
            </Text>
            <List size="sm" mt={4}>
              {items.slice(0, 12).map((skill) => (
                <List.Item key={skill.id}>
                  <Anchor href={`/skills/${skill.id}`} size="sm">
                    {skill.title || skill.name}
                  </Anchor>
                </List.Item>
              ))}
            </List>
            {items.length > 12 && (
              <Text size="sm" c="dimmed">
                and {items.length - 12} more
              </Text>
            )}
          </div>
        ))}
      </Stack>
    ),
  });
}
