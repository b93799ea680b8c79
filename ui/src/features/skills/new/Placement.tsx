/** Where a new skill goes, and how it starts; and what the server said when it refused. */
import { Alert, Group, Input, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ApiError, messageOf, type Schemas } from '@/api/client';
import { meQuery } from '@/api/queries';
import { ButtonLink } from '@/components/ButtonLink';
import { reviews } from '@/components/roles';
import { Findings } from '../Findings';
import { ScopeField } from '../scopes';
import type { Placement as Place } from './useCreate';

type Props = { value: Place; onChange: (place: Place) => void; draftable?: boolean };

export function Placement({ value, onChange, draftable = true }: Props) {
  const me = useQuery(meQuery).data;
  const grants = me && reviews(me.user);
  const shared = !value.scope.kind.includes('user');
  return (
    <Stack>
      <ScopeField value={value.scope} onChange={(scope) => onChange({ ...value, scope })} />
      {draftable && (
        <Stack gap={4}>
          <Input.Label labelElement="div" id="start-label">
            Start as
          </Input.Label>
          <Group>
            <SegmentedControl
              aria-labelledby="start-label"
              value={value.draft ? 'draft' : 'active'}
              onChange={(word) => onChange({ ...value, draft: word === 'draft' })}
              data={[
                { value: 'active', label: 'Active' },
                { value: 'draft', label: 'Draft' },
              ]}
            />
          </Group>
          <Text size="sm" c="dimmed">
            {value.draft
              ? 'Agents do not find it until it is approved.'
              : shared && !grants
                ? 'It is shared, so a reviewer approves it before agents find it.'
                : 'Agents find it at once, unless an agent demands approval.'}
          </Text>
        </Stack>
      )}
    </Stack>
  );
}

export function Refused({ error, taken }: { error: unknown; taken?: Schemas['SkillView'] | null }) {
  if (!error) return null;
  const findings = error instanceof ApiError ? error.findings.filter(({ level }) => level === 'error') : [];
  return (
    <Alert color="red" icon={<IconAlertTriangle size={20} />} title="Not created" role="alert">
      <Stack gap="xs">
        {findings.length > 0 ? <Findings of={findings} /> : <Text size="sm">{messageOf(error)}</Text>}
        {taken && (
          <div>
            <ButtonLink size="xs" to="/skills/$skillId" params={{ skillId: taken.id }}>
              Open {taken.title}
            </ButtonLink>
          </div>
        )}
      </Stack>
    </Alert>
  );
}
