/** JSON that somebody types: what it means, or what is wrong with it. */

type Read<T> = { value: T } | { problem: string };

/** `type` is `array`, `object` or anything else for any value. */
export function readJson(type: string, text: string): Read<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `Not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` };
  }
  if (type === 'array' && !Array.isArray(value)) return { problem: 'A list in square brackets' };
  if (type === 'object' && (typeof value !== 'object' || value === null || Array.isArray(value))) {
    return { problem: 'Names and values in curly brackets' };
  }
  return { value };
}

/** An object; nothing typed is an empty one. */
export function readObject(text: string): Read<Record<string, unknown>> {
  if (!text.trim()) return { value: {} };
  const read = readJson('object', text);
  return 'problem' in read ? read : { value: read.value as Record<string, unknown> };
}
