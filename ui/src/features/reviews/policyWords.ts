/** A policy, said in sentences. */
import type { Schemas } from '@/api/client';
import { bytes } from '@/components/time';

const list = (items: string[]) => items.join(', ');

function validatorWords(validator: Schemas['ValidatorView']): string {
  if (validator.expression) return `Each call must satisfy: ${validator.expression}`;
  if (validator.argument_deny) return `No argument may match: ${validator.argument_deny}`;
  if (validator.path_prefix) return `Paths must begin with: ${list(validator.path_prefix)}`;
  if (validator.host_allow) return `Addresses may only name: ${list(validator.host_allow)}`;
  return `Arguments take at most ${bytes(validator.argument_size ?? 0)}`;
}

export function policyWords(policy: Schemas['PolicyView']): string[] {
  const active = policy.always
    ? 'Active for every task.'
    : [
        policy.keywords?.length ? `the task contains one of: ${list(policy.keywords)}` : '',
        policy.when ? `this holds: ${policy.when}` : '',
      ]
        .filter(Boolean)
        .join(', or ');
  const words = [policy.always ? active : active ? `Active when ${active}.` : 'Never active.'];
  if (policy.allowed_tools)
    words.push(
      policy.allowed_tools.length ? `Only these tools: ${list(policy.allowed_tools)}.` : 'No tool at all.',
    );
  if (policy.forbidden_tools?.length) words.push(`Never these tools: ${list(policy.forbidden_tools)}.`);
  if (policy.max_steps != null) words.push(`At most ${policy.max_steps} steps.`);
  if (policy.max_execution_seconds != null) words.push(`At most ${policy.max_execution_seconds} seconds.`);
  if (policy.planning) words.push(`For planning: ${policy.planning}`);
  for (const validator of policy.validators ?? []) words.push(`${validatorWords(validator)}.`);
  const context = Object.keys(policy.context ?? {});
  if (context.length) words.push(`Sets in the context: ${list(context)}.`);
  return words;
}
