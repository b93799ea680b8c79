/** The roles of a workspace, in words. */
import { Badge, Group, Tooltip } from '@mantine/core';
import type { Schemas } from '@/api/client';
import { ManyOf } from '@/components/choices';

export type Role = Schemas['RoleWord'];

const roleWords: { value: Role; label: string; about: string }[] = [
  { value: 'admin', label: 'Admin', about: 'Manages users, agents, settings and any skill' },
  { value: 'policy_admin', label: 'Policy admin', about: 'Writes policies, and reads the audit log' },
  { value: 'reviewer', label: 'Reviewer', about: 'Approves and rejects' },
  { value: 'member', label: 'Member', about: 'Uses and writes skills; everyone is one' },
];

export function RoleBadges({ roles, operator }: { roles: string[]; operator?: boolean }) {
  return (
    <Group gap={4}>
      {operator && (
        <Tooltip label="Runs the installation: workspaces, people everywhere, backups">
          <Badge color="grape">Operator</Badge>
        </Tooltip>
      )}
      {roleWords
        .filter(({ value }) => roles.includes(value))
        .filter(({ value }) => value !== 'member' || roles.length === 1)
        .map(({ value, label, about }) => (
          <Tooltip key={value} label={about}>
            <Badge color={value === 'admin' ? 'ink' : 'gray'}>{label}</Badge>
          </Tooltip>
        ))}
    </Group>
  );
}

export function RoleChoice({ value, onChange }: { value: string[]; onChange: (roles: Role[]) => void }) {
  return (
    <ManyOf
      label="Roles"
      choices={roleWords}
      value={value}
      fixed={(role) => role === 'member'}
      onChange={onChange}
    />
  );
}
