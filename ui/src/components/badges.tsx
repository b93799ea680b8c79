/** The small marks that say what a skill is: its status, where it came from, who sees it, what it can do; and what came of a decision. */
import { Badge, Group, Tooltip } from '@mantine/core';
import {
  IconBook2,
  IconPackageImport,
  IconPlayerPlay,
  IconPlug,
  IconRobot,
  IconShieldCheck,
  IconShieldHalf,
  IconSparkles,
  IconUser,
} from '@tabler/icons-react';

const statuses: Record<string, { label: string; color: string }> = {
  active: { label: 'Active', color: 'green' },
  draft: { label: 'Draft', color: 'gray' },
  pending_approval: { label: 'Pending approval', color: 'yellow' },
  rejected: { label: 'Rejected', color: 'red' },
  archived: { label: 'Archived', color: 'gray' },
};

export function statusLabel(status: string): string {
  return statuses[status]?.label ?? status;
}

export function StatusBadge({ status, enabled = true }: { status: string; enabled?: boolean }) {
  const off = status === 'active' && !enabled;
  const known = statuses[status];
  return <Badge color={off ? 'gray' : (known?.color ?? 'gray')}>{off ? 'Off' : statusLabel(status)}</Badge>;
}

const origins: Record<string, { label: string; icon: typeof IconUser; about: string }> = {
  user: { label: 'User', icon: IconUser, about: 'written by a person' },
  agent: { label: 'Agent', icon: IconRobot, about: 'written by an agent' },
  learned: { label: 'Learned', icon: IconSparkles, about: 'learned from sessions' },
  admin: { label: 'Admin', icon: IconShieldCheck, about: 'put in by an admin' },
  connector: { label: 'Connector', icon: IconPlug, about: 'kept by a connector' },
  static: { label: 'Static', icon: IconBook2, about: 'comes with the installation' },
  provider: { label: 'Provider', icon: IconPlug, about: 'comes with a provider; cannot be changed here' },
  imported: { label: 'Imported', icon: IconPackageImport, about: 'imported from a bundle' },
};

export function originLabel(origin: string): string {
  return origins[origin]?.label ?? origin;
}

export function originOf(origin: string) {
  return origins[origin] ?? { label: origin, icon: IconUser, about: origin };
}

export const originWords = Object.keys(origins);
export const statusWords = Object.keys(statuses);

export function OriginBadge({ origin }: { origin: string }) {
  const known = origins[origin];
  const Mark = known?.icon ?? IconUser;
  return (
    <Tooltip label={known?.about ?? origin}>
      <Badge color="gray" variant="default" leftSection={<Mark size={12} aria-hidden />}>
        {originLabel(origin)}
      </Badge>
    </Tooltip>
  );
}

const scopes: Record<string, string> = {
  workspace: 'Workspace',
  agent: 'Agent',
  user: 'User',
  agent_user: 'Agent & user',
};

export const scopeWords = Object.keys(scopes);

export function scopeLabel(kind: string): string {
  return scopes[kind] ?? kind;
}

export const facets: Record<string, { label: string; about: string; icon: typeof IconUser }> = {
  instructions: { label: 'Instructions', about: 'knows: text a model loads on demand', icon: IconBook2 },
  procedure: { label: 'Procedure', about: 'does: code that runs in the sandbox', icon: IconPlayerPlay },
  policy: { label: 'Policy', about: 'bounds: which tools and limits hold', icon: IconShieldHalf },
};

export function FacetMarks({ of }: { of: string[] }) {
  return (
    <Group gap={6} wrap="nowrap">
      {of.map((facet) => {
        const known = facets[facet];
        if (!known) return null;
        const Mark = known.icon;
        return (
          <Tooltip key={facet} label={`${known.label}: ${known.about}`}>
            <Mark
              size={16}
              stroke={1.7}
              role="img"
              aria-label={known.label}
              color="var(--mantine-color-dimmed)"
            />
          </Tooltip>
        );
      })}
    </Group>
  );
}

/** A decision without a verdict only said which policies are active. */
export function VerdictBadge({ allowed }: { allowed: boolean | null | undefined }) {
  if (allowed === null || allowed === undefined) return <Badge color="gray">Resolution</Badge>;
  return <Badge color={allowed ? 'green' : 'red'}>{allowed ? 'Allowed' : 'Denied'}</Badge>;
}
