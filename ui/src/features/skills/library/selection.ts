/** Which skills are chosen for what is done to many, and how a range is chosen with shift. */
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Schemas } from '@/api/client';

type Skill = Schemas['SkillView'];
export type Chosen = ReadonlyMap<string, Skill>;

/** The skills from one to another, whichever stands first; what is not loaded is left out. */
export function between(shown: readonly (Skill | undefined)[], from: string, to: string): Skill[] {
  const first = shown.findIndex((skill) => skill?.id === from);
  const second = shown.findIndex((skill) => skill?.id === to);
  if (second < 0) return [];
  if (first < 0) return shown.slice(second, second + 1).filter((skill) => skill !== undefined);
  return shown
    .slice(Math.min(first, second), Math.max(first, second) + 1)
    .filter((skill) => skill !== undefined);
}

export type Selection = {
  chosen: Chosen;
  /** Chooses one or lets it go; with `range`, everything from the one before. */
  toggle: (skill: Skill, shown: readonly (Skill | undefined)[], range: boolean) => void;
  choose: (skills: readonly Skill[]) => void;
  clear: () => void;
};

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const last = useRef<string | null>(null);
  const toggle = useCallback<Selection['toggle']>((skill, shown, range) => {
    const from = range ? last.current : null;
    last.current = skill.id;
    setChosen((before) => {
      const next = new Map(before);
      if (from && from !== skill.id) {
        for (const one of between(shown, from, skill.id)) next.set(one.id, one);
      } else if (!next.delete(skill.id)) {
        next.set(skill.id, skill);
      }
      return next;
    });
  }, []);
  const choose = useCallback<Selection['choose']>((skills) => {
    setChosen((before) => new Map([...before, ...skills.map((skill) => [skill.id, skill] as const)]));
  }, []);
  const clear = useCallback(() => {
    last.current = null;
    setChosen(new Map());
  }, []);
  return useMemo(() => ({ chosen, toggle, choose, clear }), [chosen, toggle, choose, clear]);
}
