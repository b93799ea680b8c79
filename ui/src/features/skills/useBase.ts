/** What an editor began on: it follows the skill until something is changed, and stays from then on. */
import { useState } from 'react';
import type { Skill } from './useSkill';

/** The second value puts the editor onto another revision: the one that it has just saved. */
export function useBase(skill: Skill, changed: boolean): [Skill, (saved: Skill) => void] {
  const [base, setBase] = useState(skill);
  // Right after a save this may know a newer version than the page around it.
  if (changed || base === skill || skill.version < base.version) return [base, setBase];
  setBase(skill);
  return [skill, setBase];
}
