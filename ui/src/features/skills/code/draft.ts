/** A procedure while it is being edited. */
import type { Schemas } from '@/api/client';
import type { Parameter } from './parameters';

export type Draft = {
  /** The revision it was begun on. */
  revision: number;
  language: string;
  file: string;
  function: string;
  code: string;
  parameters: Parameter[];
};

type Skill = Schemas['SkillDetailView'];

const first = `def run(name: str) -> str:
    """Says hello. Replace it with what the skill should do."""
    return f"Hello, {name}!"
`;

export function newDraft(skill: Skill): Draft {
  return {
    revision: skill.revision,
    language: 'python',
    file: 'scripts/main.py',
    function: 'run',
    code: first,
    parameters: [{ name: 'name', type: 'string', required: true, description: 'Whom to greet' }],
  };
}

export function draftOf(skill: Skill, procedure: Schemas['ProcedureView'], code: string): Draft {
  const { language, file, parameters } = procedure;
  return { revision: skill.revision, language, file, function: procedure.function ?? '', code, parameters };
}

/** What is saved: only what was touched, so that bytes nobody changed stay as they are. */
export function editOf(
  draft: Draft,
  procedure: Schemas['ProcedureView'] | null | undefined,
  saved: string | undefined,
): Schemas['ProcedureRequest'] {
  return {
    language: draft.language,
    file: draft.file,
    function: draft.function || null,
    parameters: draft.parameters,
    profile: procedure?.profile,
    limits: procedure?.limits,
    network: procedure?.network ?? [],
    code: draft.code === saved ? undefined : draft.code,
  };
}

export function sameDraft(one: Draft, other: Draft): boolean {
  const words = (draft: Draft) =>
    JSON.stringify([draft.language, draft.file, draft.function, draft.code, draft.parameters]);
  return words(one) === words(other);
}
