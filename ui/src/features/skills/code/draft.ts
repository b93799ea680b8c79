/** A procedure while it is being edited. */
import type { Schemas } from '@/api/client';
import type { Parameter } from './parameters';

type Skill = Schemas['SkillDetailView'];

export type Draft = {
  /** The skill as it was when this was begun, and its code. */
  base: Skill;
  saved: string | undefined;
  language: string;
  file: string;
  function: string;
  code: string;
  parameters: Parameter[];
};

const first = `def run(name: str) -> str:
    """Says hello. Replace it with what the skill should do."""
    return f"Hello, {name}!"
`;

export function newDraft(skill: Skill): Draft {
  return {
    base: skill,
    saved: undefined,
    language: 'python',
    file: 'scripts/main.py',
    function: 'run',
    code: first,
    parameters: [{ name: 'name', type: 'string', required: true, description: 'Whom to greet' }],
  };
}

export function draftOf(skill: Skill, procedure: Schemas['ProcedureView'], code: string): Draft {
  const { language, file, parameters } = procedure;
  return { base: skill, saved: code, language, file, function: procedure.function ?? '', code, parameters };
}

/** What is saved; a file that was not touched stays as it is, to the byte. */
export function editOf(draft: Draft): Schemas['ProcedureRequest'] {
  const before = draft.base.procedure;
  return {
    language: draft.language,
    file: draft.file,
    function: draft.function || null,
    parameters: draft.parameters,
    profile: before?.profile,
    limits: before?.limits,
    network: before?.network ?? [],
    code: draft.code === draft.saved ? undefined : draft.code,
  };
}

/** Whether it differs from what it was begun on. */
export function isChanged(draft: Draft): boolean {
  const { base, saved } = draft;
  if (!base.procedure || saved === undefined) return true;
  const words = (one: Draft) =>
    JSON.stringify([one.language, one.file, one.function, one.code, one.parameters]);
  return words(draft) !== words(draftOf(base, base.procedure, saved));
}

/** A draft after `sent` was saved as `saved`: what was changed since is still a change. */
export function typedSince(sent: Draft, latest: Draft, saved: Draft): Draft {
  return {
    ...saved,
    function: latest.function === sent.function ? saved.function : latest.function,
    code: latest.code === sent.code ? saved.code : latest.code,
    parameters: latest.parameters === sent.parameters ? saved.parameters : latest.parameters,
  };
}
