/** An agent as somebody is about to save it, and how that meets what others saved meanwhile. */
import type { Schemas } from '@/api/client';
import { type Memory, usualMemory } from '@/api/memory';

export type Agent = Schemas['AgentView'];
export type Assignment = Schemas['AssignmentView'];
export type Limits = Schemas['RunLimitsView'];

export type AgentDraft = {
  name: string;
  title: string;
  description: string;
  memory: Memory;
  discovery: string;
  discovery_token_budget: number;
  toolsets: string[];
  run_limits: Limits;
  skills: Assignment[];
};

export function draftOf(agent: Agent): AgentDraft {
  return {
    name: agent.name,
    title: agent.title,
    description: agent.description,
    memory: agent.procedural_memory ?? usualMemory,
    discovery: agent.discovery,
    discovery_token_budget: agent.discovery_token_budget,
    toolsets: agent.toolsets,
    run_limits: agent.run_limits,
    skills: agent.skills.map(({ skill_id, pin }) => ({ skill_id, pin: pin ?? null })),
  };
}

export function requestOf(draft: AgentDraft): Schemas['AgentRequest'] {
  const { memory, discovery, toolsets, ...rest } = draft;
  return {
    ...rest,
    title: draft.title.trim() || draft.name,
    procedural_memory: same(memory, usualMemory) ? null : memory,
    discovery: discovery as Schemas['DiscoveryWord'],
    toolsets: toolsets as Schemas['ToolsetWord'][],
  };
}

/** Whether two values read the same, whatever the order of their keys. */
export function same(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) =>
    same((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
  );
}

const fieldNames: Record<keyof AgentDraft, string> = {
  name: 'name',
  title: 'title',
  description: 'description',
  memory: 'memory',
  discovery: 'discovery mode',
  discovery_token_budget: 'token budget',
  toolsets: 'toolsets',
  run_limits: 'run limits',
  skills: 'skills',
};

/** Which parts differ, in words. */
export function differing(one: AgentDraft, other: AgentDraft): string[] {
  return parts.filter((part) => !same(one[part], other[part])).map((part) => fieldNames[part]);
}

const parts = Object.keys(fieldNames) as (keyof AgentDraft)[];

/** What I changed since `base`, put on top of what others saved since then. */
export function rebased(mine: AgentDraft, base: AgentDraft, theirs: AgentDraft): AgentDraft {
  return {
    ...onTop(mine, base, theirs),
    // These hold settings that have nothing to do with each other.
    memory: onTop(mine.memory, base.memory, theirs.memory),
    run_limits: onTop(mine.run_limits, base.run_limits, theirs.run_limits),
  };
}

function onTop<T extends object>(mine: T, base: T, theirs: T): T {
  const keys = Object.keys(mine) as (keyof T)[];
  const changes = keys.filter((key) => !same(mine[key], base[key])).map((key) => [key, mine[key]]);
  return { ...theirs, ...Object.fromEntries(changes) };
}

/** Moves one of a list to another place. */
export function moved<T>(items: T[], from: number, to: number): T[] {
  const rest = items.filter((_, at) => at !== from);
  const item = items[from];
  if (item === undefined) return items;
  return [...rest.slice(0, to), item, ...rest.slice(to)];
}

/** What a threshold means to somebody who never saw the number. */
export function thresholdMeaning(threshold: number): string {
  if (threshold >= 0.9) return 'Very strict: only skills that all but certainly do the task are used.';
  if (threshold >= 0.75) return 'Careful: a skill is used when it most likely does the task.';
  if (threshold >= 0.5) return 'Open: a skill is used when it does the task more likely than not.';
  if (threshold > 0) return 'Loose: skills are used that may well miss the task.';
  return 'Anything that is found is used, however little it fits.';
}
