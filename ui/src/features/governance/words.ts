/** Calls, and what verdicts on them rest on, in words. */

const causes: Record<string, { label: string; about: string }> = {
  forbidden: {
    label: 'Forbidden tool',
    about: 'An active policy forbids this tool or this way of calling it.',
  },
  not_allowed: {
    label: 'Not on the list',
    about: 'An active policy allows only certain tools, and this is none of them.',
  },
  validation: {
    label: 'Failed a check',
    about: 'A validator of an active policy did not pass these arguments.',
  },
  max_steps: { label: 'Out of steps', about: 'The run has used all the steps that active policies grant.' },
  max_execution_time: { label: 'Out of time', about: 'The run has taken longer than active policies grant.' },
  evaluation_error: {
    label: 'Could not be evaluated',
    about: 'An expression failed or a policy cannot be read. What cannot be decided is denied.',
  },
};

export const causeWords = Object.keys(causes);

export function causeLabel(cause: string): string {
  return causes[cause]?.label ?? cause;
}

export function causeAbout(cause: string): string {
  return causes[cause]?.about ?? '';
}

/** The arguments of a call in a line: those that say something, and the only one without its name. */
export function argumentsInShort(given: Record<string, unknown>): string {
  const said = Object.entries(given).filter(([, value]) => saysSomething(value));
  const [only] = said;
  if (only && said.length === 1) return typeof only[1] === 'string' ? only[1] : JSON.stringify(only[1]);
  return said
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function saysSomething(value: unknown): boolean {
  if (value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
