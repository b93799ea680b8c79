/**
 * The policy of a skill as it stands in `repertoire.yaml`. Only its part of the file is shown and changed; the rest keeps
 * every byte, and comments inside the part stay when the form changes a value.
 */
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';

export const SIDECAR = 'repertoire.yaml';

/** The file in three: what stands before the policy, the policy, and what stands behind it. */
export type Parts = { before: string; policy: string; after: string };

export function split(file: string): Parts {
  const doc = parseDocument(file);
  const top = doc.contents;
  if (!isMap(top)) return { before: file, policy: '', after: '' };
  if (top.flow) {
    // On one line nothing can be cut out, so such a file is written anew.
    top.flow = false;
    return split(doc.toString({ lineWidth: 0 }));
  }
  const pair = top.items.find(({ key }) => isScalar(key) && key.value === 'policy');
  if (!pair || !isScalar(pair.key) || !pair.key.range) return { before: file, policy: '', after: '' };
  const start = pair.key.range[0];
  const next = top.items[top.items.indexOf(pair) + 1]?.key;
  const end = isScalar(next) && next.range ? file.lastIndexOf('\n', next.range[0] - 1) + 1 : file.length;
  return { before: file.slice(0, start), policy: file.slice(start, end), after: file.slice(end) };
}

export function join({ before, policy, after }: Parts): string {
  const line = (text: string) => (text && !text.endsWith('\n') ? `${text}\n` : text);
  return line(before) + (after ? line(policy) : policy) + after;
}

/** How many lines stand before the policy. */
export function offsetOf({ before }: Parts): number {
  return before ? before.replace(/\n$/, '').split('\n').length : 0;
}

export const validatorKinds = [
  'argument_deny',
  'path_prefix',
  'host_allow',
  'argument_size',
  'expression',
] as const;
export type ValidatorKind = (typeof validatorKinds)[number];
export type Validator = Partial<Record<ValidatorKind, unknown>>;

export type Policy = {
  scope?: string;
  priority?: number;
  activation?: { always?: boolean; keywords?: string[]; when?: string };
  allowed_tools?: string[];
  forbidden_tools?: string[];
  max_steps?: number;
  max_execution_time?: string | number;
  context?: Record<string, unknown>;
  planning?: string;
  validators?: Validator[];
};

export type Reading = { policy: Policy } | { problem: string; line: number };

/** The values in the part, or where it cannot be read. */
export function readPolicy(text: string): Reading {
  const lines = new LineCounter();
  const doc = parseDocument(text, { lineCounter: lines });
  const error = doc.errors[0];
  if (error) {
    return {
      problem: error.message.split('\n')[0] ?? 'it is not YAML',
      line: lines.linePos(error.pos[0]).line,
    };
  }
  const whole: unknown = doc.toJS();
  if (whole === null || whole === undefined) return { policy: {} };
  const names = typeof whole === 'object' ? Object.keys(whole) : [];
  if (names.length !== 1 || names[0] !== 'policy') {
    return { problem: 'It begins with `policy:`, and nothing else stands beside that', line: 1 };
  }
  const policy = (whole as { policy: unknown }).policy ?? {};
  if (typeof policy !== 'object' || Array.isArray(policy)) {
    return { problem: 'A policy is names and values', line: 1 };
  }
  return { policy: policy as Policy };
}

/** The part with one value changed, or taken out where it is undefined. */
export function writePolicy(text: string, path: (string | number)[], value: unknown): string {
  const doc = parseDocument(text.trim() ? text : 'policy: {}\n');
  const place = ['policy', ...path];
  if (value === undefined) {
    doc.deleteIn(place);
    for (let up = place.slice(0, -1); up.length > 1; up = up.slice(0, -1)) {
      const left = doc.getIn(up);
      if (isMap(left) && left.items.length === 0) doc.deleteIn(up);
    }
  } else {
    doc.setIn(place, doc.createNode(value));
  }
  const policy = doc.get('policy');
  if (isMap(policy)) policy.flow = policy.items.length === 0;
  return doc.toString({ lineWidth: 0 });
}
