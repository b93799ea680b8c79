/** The parameters of a procedure between a form and the values that a run gets. */
import type { Schemas } from '@/api/client';
import { readJson } from '@/components/json';

export type Parameter = Schemas['ParameterView'];
export type Values = Record<string, unknown>;
/** What stands in the fields: text, or yes and no. What is not there was left empty. */
export type Fields = Record<string, string | boolean>;

export const parameterTypes = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'any'] as const;

export function isRequired(parameter: Parameter): boolean {
  return parameter.required ?? parameter.default === undefined;
}

const isJson = (type: string) => type === 'array' || type === 'object' || type === 'any';

/** What a field shows for a value. */
export function fieldOf(type: string, value: unknown): string | boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (type === 'boolean' && typeof value === 'boolean') return value;
  if (type === 'string' && typeof value === 'string') return value;
  if (isJson(type)) return JSON.stringify(value, null, 2);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The fields for these values; what a record blanked out is asked for again. */
export function fieldsOf(parameters: Parameter[], values: Values): Fields {
  const fields: Fields = {};
  for (const { name, type } of parameters) {
    const field = values[name] === '[redacted]' ? undefined : fieldOf(type, values[name]);
    if (field !== undefined) fields[name] = field;
  }
  return fields;
}

/** What the fields are before anybody touched them. */
export function startFields(parameters: Parameter[]): Fields {
  return fieldsOf(
    parameters,
    Object.fromEntries(parameters.map(({ name, default: value }) => [name, value])),
  );
}

export type Read = { values: Values; problems: Record<string, string> };

/** The values that the fields mean; what cannot be meant is a problem under its name. */
export function readFields(parameters: Parameter[], fields: Fields): Read {
  const read: Read = { values: {}, problems: {} };
  for (const parameter of parameters) {
    const field = fields[parameter.name];
    if (field === undefined || (field === '' && parameter.type !== 'string')) {
      if (!isRequired(parameter)) continue;
      // It is shown as a switch, and one that nobody touched is off.
      const off = parameter.type === 'boolean' && typeof parameter.default !== 'boolean';
      if (off) read.values[parameter.name] = false;
      else read.problems[parameter.name] = 'This is needed';
      continue;
    }
    if (field === '' && !isRequired(parameter)) continue;
    const value = readField(parameter.type, field);
    if ('problem' in value) read.problems[parameter.name] = value.problem;
    else read.values[parameter.name] = value.value;
  }
  return read;
}

/** The value that one field means. */
export function readField(type: string, field: string | boolean): { value: unknown } | { problem: string } {
  if (typeof field === 'boolean') return { value: field };
  if (type === 'string') return { value: field };
  if (type === 'boolean') {
    if (field === 'true' || field === 'false') return { value: field === 'true' };
    return { problem: 'True or false' };
  }
  if (type === 'integer' || type === 'number') {
    const number = Number(field);
    if (!Number.isFinite(number)) return { problem: 'A number' };
    if (type === 'integer' && !Number.isInteger(number)) return { problem: 'A whole number' };
    if (type === 'integer' && !Number.isSafeInteger(number)) {
      return { problem: 'Too large to be kept exactly by a browser' };
    }
    return { value: number };
  }
  return readJson(type, field);
}

/** What is wrong with declarations, by their place. */
export function declarationProblems(parameters: Parameter[]): (string | undefined)[] {
  return parameters.map(({ name }, place) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name))
      return 'Letters, digits and _, not beginning with a digit';
    if (parameters.findIndex((other) => other.name === name) < place)
      return 'There is one of this name above';
    return undefined;
  });
}

const key = (skill: string) => `repertoire-parameters-${skill}`;

/** What was typed for a skill stays until the browser tab is closed. */
export function rememberFields(skill: string, fields: Fields): void {
  try {
    sessionStorage.setItem(key(skill), JSON.stringify(fields));
  } catch {
    // A full or forbidden storage only costs the convenience.
  }
}

export function recallFields(skill: string): Fields | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key(skill)) ?? 'null');
    return kept && typeof kept === 'object' ? (kept as Fields) : null;
  } catch {
    return null;
  }
}
