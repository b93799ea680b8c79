/** What a person writes into the composer: code, or a command that begins with a slash. */
import type { Schemas } from '@/api/client';

export type Values = Record<string, unknown>;
type Body = Omit<Schemas['InterpretRequest'], 'skill_parameters'> & { skill_parameters?: Values };

export type Command =
  | { kind: 'run'; code: string }
  | { kind: 'search'; words: string }
  | { kind: 'list' }
  | { kind: 'use'; name: string; values: Values }
  | { kind: 'save'; name: string; description: string; code: string }
  | { kind: 'help' }
  | { kind: 'wrong'; message: string };

export const commands = [
  { word: '/search', takes: 'words', about: 'Find skills for a task; without words, list them all' },
  { word: '/use', takes: 'name key=value …', about: 'Use a skill, with values by name or as JSON' },
  { word: '/save', takes: 'name what it does', about: 'Save the code that ran last as a skill' },
  { word: '/run', takes: 'code', about: 'Run Python; text without a slash is run as well' },
  { word: '/skills', takes: '', about: 'List the skills there are' },
  { word: '/help', takes: '', about: 'Show the commands' },
] as const;

export function parseCommand(text: string): Command {
  const written = text.trim();
  if (!written.startsWith('/')) return { kind: 'run', code: text.trimEnd() };
  const [, word = '', rest = ''] = /^\/(\S*)\s?([\s\S]*)$/.exec(written) ?? [];
  switch (word.toLowerCase()) {
    case 'run':
      return rest.trim()
        ? { kind: 'run', code: rest.trimEnd() }
        : { kind: 'wrong', message: 'Write the code after /run.' };
    case 'search':
      return rest.trim() ? { kind: 'search', words: rest.trim() } : { kind: 'list' };
    case 'skills':
      return { kind: 'list' };
    case 'help':
      return { kind: 'help' };
    case 'save':
      return save(rest);
    case 'use':
      return use(rest);
    default:
      return { kind: 'wrong', message: `There is no command /${word}. Write /help to see what there is.` };
  }
}

/** `/save name description`, and code below it where other code than the last is meant. */
function save(rest: string): Command {
  const [first = '', ...lines] = rest.split('\n');
  const [, name = '', description = ''] = /^\s*(\S*)\s*(.*)$/.exec(first) ?? [];
  return { kind: 'save', name, description: description.trim(), code: lines.join('\n').trim() };
}

function use(rest: string): Command {
  const [, name = '', given = ''] = /^\s*(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  if (!name) return { kind: 'wrong', message: 'Say which skill: /use name key=value …' };
  const values = parseValues(given);
  if (typeof values === 'string') return { kind: 'wrong', message: values };
  return { kind: 'use', name, values };
}

/** Values as a JSON object or as `key=value`; a text says what is wrong. */
export function parseValues(given: string): Values | string {
  const text = given.trim();
  if (!text) return {};
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text) as Values;
    } catch (error) {
      return `That is no JSON object: ${error instanceof Error ? error.message : error}`;
    }
  }
  const values: Values = {};
  const pair = /\s*([A-Za-z_][\w-]*)=("(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|\S*)\s*/y;
  while (pair.lastIndex < text.length) {
    const at = pair.lastIndex;
    const found = pair.exec(text);
    if (!found) return `Write values as key=value, or as JSON; “${text.slice(at, at + 30)}” is neither.`;
    values[found[1] ?? ''] = readValue(found[2] ?? '');
  }
  return values;
}

function readValue(text: string): unknown {
  if (text.startsWith("'")) return text.slice(1, -1);
  try {
    return JSON.parse(text);
  } catch {
    const python: Values = { True: true, False: false, None: null };
    return text in python ? python[text] : text;
  }
}

/** The call of the interpreter that a command stands for. */
export function requestOf(
  command: Extract<Command, { kind: 'run' | 'search' | 'use' | 'save' }>,
  lastCode = '',
): Body {
  switch (command.kind) {
    case 'run':
      return { operation: 'execute', code: command.code };
    case 'search':
      return { operation: 'search_skills', prompt: command.words };
    case 'use':
      return { operation: 'use_skill', skill_name: command.name, skill_parameters: command.values };
    case 'save':
      return {
        operation: 'register_skill',
        skill_name: command.name,
        skill_description: command.description,
        code: command.code || lastCode,
      };
  }
}

/** How a call that was kept would be written here; nothing for what cannot be. */
export function writtenAs(call: { text: string; data?: unknown }): string {
  const data = (call.data ?? {}) as Body;
  const values = data.skill_parameters;
  switch (data.operation ?? 'execute') {
    case 'execute':
      return data.code || call.text;
    case 'search_skills':
      return `/search ${call.text}`;
    case 'use_skill':
      return `/use ${data.skill_name} ${values ? JSON.stringify(values) : ''}`.trim();
    case 'register_skill':
      return `/save ${data.skill_name} ${data.skill_description ?? ''}\n${data.code || call.text}`.trim();
    default:
      return '';
  }
}
