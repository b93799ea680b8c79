/** What an editor began on: it follows the skill until something is changed, and stays from then on. */
import { useState } from 'react';
import type { Skill } from './useSkill';

export function useBase(skill: Skill, changed: boolean): Skill {
  const [base, setBase] = useState(skill);
  if (changed) return base;
  if (base !== skill) setBase(skill);
  return skill;
}
