/** What every row of the library needs, whichever list it stands in. */
import { createContext, useContext } from 'react';
import type { Schemas } from '@/api/client';
import type { Names } from '@/components/names';
import type { Selection } from './selection';

type Skill = Schemas['SkillView'];

export type Library = {
  me: Schemas['MeView'] | undefined;
  names: Names;
  selection: Selection;
  open: (skill: Skill) => void;
  turn: (skill: Skill, enabled: boolean) => void;
  bringBack: (skill: Skill) => void;
};

export const LibraryContext = createContext<Library | null>(null);

export function useLibrary(): Library {
  const library = useContext(LibraryContext);
  if (!library) throw new Error('a row stands outside of the library');
  return library;
}

/** Whose a skill is, in names. */
export function ownerOf({ scope }: Pick<Skill, 'scope'>, library: Pick<Library, 'me' | 'names'>): string {
  const { me, names } = library;
  const user = scope.user_id === me?.user.id ? 'You' : names.user(scope.user_id);
  if (scope.kind === 'agent') return names.agent(scope.agent_id);
  if (scope.kind === 'user') return user;
  if (scope.kind === 'agent_user') return `${names.agent(scope.agent_id)} · ${user}`;
  return 'Workspace';
}
