/**
 * How many skills there are, and the box that chooses all of them, also those that are not loaded yet. Another filter
 * wants another one (by `key`).
 */
import { Group, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import type { SkillListQuery } from '@/api/queries';
import { failed } from '@/components/feedback';
import { counted } from '@/components/time';
import { useLibrary } from './context';
import controls from './controls.module.css';
import classes from './library.module.css';

type Skill = Schemas['SkillView'];

async function allOf(filter: SkillListQuery, onProgress: (count: number) => void, isWanted: () => boolean) {
  const all: Skill[] = [];
  let cursor: string | undefined;
  do {
    const page = await call(
      api.GET('/api/v1/skills', { params: { query: { ...filter, limit: 200, cursor } } }),
    );
    all.push(...(page.items as Skill[]));
    onProgress(all.length);
    cursor = page.next_cursor ?? undefined;
  } while (cursor && isWanted());
  return all;
}

export function ListHead({ total, filter }: { total: number; filter: SkillListQuery }) {
  const { selection } = useLibrary();
  const [read, setRead] = useState<number | null>(null);
  const wanted = useRef(0);
  // What is still being read for a view that one left is not chosen any more.
  useEffect(
    () => () => {
      wanted.current += 1;
    },
    [],
  );
  const some = selection.chosen.size > 0;
  const toggle = async () => {
    wanted.current += 1;
    const turn = wanted.current;
    if (some || read !== null) {
      setRead(null);
      return selection.clear();
    }
    try {
      const all = await allOf(
        filter,
        (count) => turn === wanted.current && setRead(count),
        () => turn === wanted.current,
      );
      if (turn === wanted.current) selection.choose(all);
    } catch (error) {
      if (turn === wanted.current) failed(error);
    } finally {
      if (turn === wanted.current) setRead(null);
    }
  };
  return (
    <Group gap="sm" className={classes.head}>
      <input
        type="checkbox"
        className={controls.box}
        ref={(box) => {
          if (box) box.indeterminate = some && selection.chosen.size < total;
        }}
        checked={some && selection.chosen.size >= total}
        aria-label={some ? 'Choose none' : `Choose all ${counted(total, 'skill')}`}
        onChange={() => void toggle()}
      />
      <Text size="sm" c="dimmed" role="status">
        {read === null
          ? counted(total, 'skill')
          : `Choosing ${read.toLocaleString('en')} of ${total.toLocaleString('en')}`}
      </Text>
    </Group>
  );
}
