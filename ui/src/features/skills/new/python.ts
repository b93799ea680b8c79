/** Reads from Python what a person would otherwise type: the function, its parameters, what it is for. */
import type { Parameter } from './ProcedureFields';

type ReadPython = { function: string; parameters: Parameter[]; description: string };

const types: Record<string, string> = {
  str: 'string',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
  list: 'array',
  tuple: 'array',
  dict: 'object',
};

/** The first function at the margin whose name is no private one; null where there is none. */
export function readPython(code: string): ReadPython | null {
  const found = /^(?:async )?def ([A-Za-z]\w*)\s*\(/m.exec(code);
  if (!found?.[1]) return null;
  const start = found.index + found[0].length;
  const end = closing(code, start);
  if (end < 0) return null;
  const parameters = split(code.slice(start, end))
    .filter((part) => part && !part.startsWith('*') && part !== '/')
    .map(parameterOf);
  const body = code.slice(end);
  const doc = /:\s*(?:#.*)?\n\s+[rR]?("""|''')([\s\S]*?)\1/.exec(body);
  const description = doc && doc.index < body.indexOf('\n') + 1 ? firstParagraph(doc[2] ?? '') : '';
  return { function: found[1], parameters, description };
}

function firstParagraph(text: string): string {
  return (text.trim().split(/\n\s*\n/)[0] ?? '').replace(/\s+/g, ' ').trim();
}

/** Where the bracket before `start` closes. */
function closing(code: string, start: number): number {
  let depth = 1;
  let quote = '';
  for (let at = start; at < code.length; at += 1) {
    const char = code.charAt(at);
    if (quote) {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** The parts between commas that stand in no bracket. */
function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let part = '';
  for (const char of text.replace(/#.*$/gm, '')) {
    if (quote) quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    if (char === ',' && depth === 0 && !quote) {
      parts.push(part.trim());
      part = '';
    } else part += char;
  }
  return [...parts, part.trim()];
}

function parameterOf(part: string): Parameter {
  const [, name = part, annotation = '', value] =
    /^(\w+)\s*(?::\s*([^=]+?))?\s*(?:=\s*([\s\S]+))?$/.exec(part) ?? [];
  const type = types[/^\w+/.exec(annotation)?.[0].toLowerCase() ?? ''] ?? 'any';
  const read = value === undefined ? undefined : literal(value.trim());
  const typed = type === 'any' && read !== undefined && read !== null ? typeOf(read) : type;
  return {
    name,
    type: typed,
    required: value === undefined,
    description: '',
    ...(read === undefined || read === null ? {} : { default: read }),
  };
}

/** A default that can be written as JSON. */
function literal(text: string): unknown {
  const json = text
    .replace(/\bTrue\b/g, 'true')
    .replace(/\bFalse\b/g, 'false')
    .replace(/\bNone\b/g, 'null')
    .replace(/'([^'"]*)'/g, '"$1"');
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'object' ? 'object' : typeof value;
}
