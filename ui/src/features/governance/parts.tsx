/** Pieces that several pages of Governance show. */
import { Alert, Box, Code, List, Stack, Text } from '@mantine/core';
import { IconShieldCheck, IconShieldX } from '@tabler/icons-react';
import type { Schemas } from '@/api/client';
import { AppLink } from '@/components/AppLink';
import { FactTable, Json } from '@/components/detail';
import { duration } from '@/components/time';
import { causeAbout, causeLabel } from './words';

/** A policy by the name that reasons use, with a way to its skill where that is known. */
export function PolicyLink({ id, skill }: { id: string; skill?: string | null }) {
  if (!skill) return <Code>{id}</Code>;
  return (
    <AppLink to="/skills/$skillId/policy" params={{ skillId: skill }} size="sm" ff="monospace" c="inherit">
      {id}
    </AppLink>
  );
}

type VerdictProps = { verdict: Schemas['VerdictView']; skillOf: (policy: string) => string | undefined };

export function Verdict({ verdict, skillOf }: VerdictProps) {
  if (verdict.allowed) {
    return (
      <Alert color="green" icon={<IconShieldCheck size={20} />} title={`${verdict.tool} would be allowed`}>
        No active policy forbids it, every whitelist admits it, every check passes.
      </Alert>
    );
  }
  return (
    <Alert color="red" icon={<IconShieldX size={20} />} title={`${verdict.tool} would be denied`}>
      <Stack gap={6}>
        <Text size="sm" fw={550}>
          {verdict.metadata?.denial_reason ?? verdict.error}
        </Text>
        {verdict.cause && (
          <Text size="sm">
            {causeLabel(verdict.cause)}. {causeAbout(verdict.cause)}
          </Text>
        )}
        {(verdict.failed_checks ?? []).map((check) => (
          <Text size="sm" key={`${check.policy} ${check.number}`}>
            Check {check.number} of <Code>{check.policy}</Code> ({check.name})
            {check.error ? `: ${check.error}` : ''}
          </Text>
        ))}
        {(verdict.denied_by ?? []).length > 0 && (
          <Text size="sm">
            Denied by{' '}
            {(verdict.denied_by ?? []).map((id, place) => (
              <span key={id}>
                {place > 0 && ', '}
                <PolicyLink id={id} skill={skillOf(id)} />
              </span>
            ))}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}

/** Why, in the order in which it was decided. */
export function Reasons({ of }: { of: string[] }) {
  if (of.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No policy was active, so nothing restricts it.
      </Text>
    );
  }
  return (
    <List type="ordered" size="sm" spacing={4}>
      {of.map((reason, place) => (
        <List.Item key={place}>{reason}</List.Item>
      ))}
    </List>
  );
}

/** What all active policies demand together. */
export function Constraints({ of }: { of: Schemas['ConstraintsView'] }) {
  const rows: [string, string][] = [
    ['Allowed tools', listed(of.allowed_tools, 'no restriction')],
    ['Forbidden tools', listed(of.forbidden_tools, 'none')],
    ['Most steps', of.max_steps == null ? 'no limit' : String(of.max_steps)],
    ['Longest time', of.max_execution_time_ms == null ? 'no limit' : duration(of.max_execution_time_ms)],
    ['Checks on each call', String(of.validators)],
  ];
  return (
    <Box>
      <FactTable rows={rows} label="Constraints" />
      {Object.keys(of.context).length > 0 && (
        <>
          <Text size="sm" fw={500} mt="xs" mb={4}>
            Values put into the context
          </Text>
          <Json value={of.context} label="Values put into the context" />
        </>
      )}
    </Box>
  );
}

function listed(tools: string[] | null | undefined, none: string): string {
  if (!tools) return none;
  if (tools.length === 0) return none === 'none' ? none : 'nothing at all';
  return tools.join(', ');
}
