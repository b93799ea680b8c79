/** The fields of a skill that are edited as a form, and what the server says about each. */
import { ApiError, type Schemas } from '@/api/client';

type Skill = Schemas['SkillDetailView'];

export type Fields = {
  title: string;
  name: string;
  description: string;
  icon: string;
  tags: string[];
  example_prompts: string[];
  suggested_tools: string[];
  extends: string;
  license: string;
  compatibility: string;
};

export type Field = keyof Fields;

export function fieldsOf(skill: Skill): Fields {
  return {
    // A skill without a title shows its name; that is no title yet.
    title: skill.title === skill.name ? '' : skill.title,
    name: skill.name,
    description: skill.description,
    icon: skill.icon ?? '',
    tags: skill.tags,
    example_prompts: skill.example_prompts,
    suggested_tools: skill.suggested_tools,
    extends: skill.extends ?? '',
    license: skill.license ?? '',
    compatibility: skill.compatibility ?? '',
  };
}

/** The request that says only what changed. */
export function editOf(base: Fields, changes: Partial<Fields>): Schemas['EditSkillRequest'] {
  const edit: Record<string, unknown> = {};
  for (const field of changedFields(base, changes)) {
    const value = changes[field];
    if (Array.isArray(value)) edit[field] = value.map((item) => item.trim()).filter(Boolean);
    else if (field === 'name' || field === 'description') edit[field] = value?.trim();
    else edit[field] = value?.trim() || null;
  }
  return edit;
}

export function changedFields(base: Fields, changes: Partial<Fields>): Field[] {
  return (Object.keys(changes) as Field[]).filter(
    (field) => JSON.stringify(changes[field]) !== JSON.stringify(base[field]),
  );
}

/** What was changed after `sent` was sent. */
export function typedSince(sent: Partial<Fields>, latest: Partial<Fields>): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(latest).filter(([field, value]) => value !== sent[field as Field]),
  );
}

const words: Field[] = [
  'title',
  'name',
  'description',
  'icon',
  'tags',
  'example_prompts',
  'suggested_tools',
  'extends',
  'license',
  'compatibility',
];

/** What the server said about each field; what is about none of them stands under ''. */
export function saidOf(error: unknown): Partial<Record<Field | '', string>> {
  if (!error) return {};
  if (!(error instanceof ApiError)) return { '': String(error) };
  if (error.code === 'invalid_name' || error.code === 'name_taken') return { name: error.message };
  const said: Partial<Record<Field | '', string>> = {};
  for (const finding of error.findings) {
    if (finding.level !== 'error') continue;
    const field = words.find((word) => finding.message.startsWith(`\`${word}\``)) ?? '';
    said[field] ??= finding.message;
  }
  if (Object.keys(said).length > 0) return said;
  const bound = error.message.match(/type: (\w+): (.*) at line/);
  const field = words.find((word) => word === bound?.[1]);
  return field ? { [field]: bound?.[2] } : { '': error.message };
}
