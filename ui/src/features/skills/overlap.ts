/** What two people changed at once. */
import type { Schemas } from '@/api/client';

type Skill = Schemas['SkillDetailView'];

/** The fields and files of an edit that were changed since `base` by somebody else as well. */
export function changedByBoth(base: Skill, now: Skill, edit: Schemas['EditSkillRequest']): string[] {
  const beside = ['files', 'message', 'label', 'expected_revision'];
  const read = (skill: Skill, field: string) => JSON.stringify(skill[field as keyof Skill] ?? null);
  const fields = Object.keys(edit).filter(
    (field) => !beside.includes(field) && read(base, field) !== read(now, field),
  );
  const digest = (skill: Skill, path: string) => skill.files.find((file) => file.path === path)?.digest;
  const files = (edit.files ?? [])
    .map((file) => file.path)
    .filter((path) => digest(base, path) !== digest(now, path));
  return [...fields.map((field) => field.replaceAll('_', ' ')), ...files];
}
