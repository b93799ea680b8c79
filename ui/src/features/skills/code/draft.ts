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

export function sameDraft(one: Draft, other: Draft): boolean {
  const words = (draft: Draft) =>
    JSON.stringify([draft.language, draft.file, draft.function, draft.code, draft.parameters]);
  return words(one) === words(other);
}
