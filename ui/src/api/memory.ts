/** The procedural memory of an agent. */
import type { Schemas } from './client';

export type Memory = Schemas['ProceduralMemoryView'];

/** What the server takes where nothing is said. */
export const usualMemory: Memory = {
  enabled: false,
  auto_register_skills: true,
  require_skill_approval: false,
  max_skills_per_user: 0,
  skill_search_threshold: 0.8,
  prefer_skills: true,
  approver: 'owner',
  proposal_mode: 'proactive',
};
