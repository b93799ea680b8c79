/** One decision whole: why it came out so, about what, and under which revisions. */
import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconFlask, IconShieldX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { AppLink } from '@/components/AppLink';
import { ButtonLink } from '@/components/ButtonLink';
import { VerdictBadge } from '@/components/badges';
import { DetailDrawer, Json, Part, RevisionLink } from '@/components/detail';
import { useNames } from '@/components/names';
import { Loaded } from '@/components/page';
import { duration, moment } from '@/components/time';
import { PolicyLink, Reasons } from './parts';
import { type Decision, decisionQuery, governedRunQuery } from './queries';
import { benchOf } from './search';
import { causeAbout, causeLabel } from './words';

export function DecisionDrawer({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  return (
    <DetailDrawer title="Decision" id={id} onClose={onClose}>
      {(shown) => <Shown id={shown} />}
    </DetailDrawer>
  );
}

function Shown({ id }: { id: string }) {
  return <Loaded query={useQuery(decisionQuery(id))}>{(decision) => <Whole decision={decision} />}</Loaded>;
}

function Whole({ decision }: { decision: Decision }) {
  const names = useNames();
  const skillOf = (policy: string) => decision.policies.find(({ id }) => id === policy)?.skill_id;
  const denied = decision.allowed === false;
  return (
    <Stack gap="lg" pb="xl">
      <div>
        <Group gap="xs" mb={4}>
          <VerdictBadge allowed={decision.allowed} />
          <Text fw={600}>{decision.tool ?? 'Which policies are active'}</Text>
        </Group>
        <Text size="sm" c="dimmed">
          {moment(decision.at)} · {names.who(decision.user_id, decision.agent_id)}
          {decision.host && ` · asked by ${decision.host}`}
        </Text>
      </div>
      {denied && (
        <Alert color="red" icon={<IconShieldX size={20} />} title="Why was this denied">
          <Text size="sm" fw={550}>
            {decision.reason}
          </Text>
          {decision.cause && (
            <Text size="sm" mt={4}>
              {causeLabel(decision.cause)}. {causeAbout(decision.cause)}
            </Text>
          )}
          {decision.denied_by.length > 0 && (
            <Text size="sm" mt={4} component="div">
              Denied by{' '}
              {decision.denied_by.map((policy, place) => (
                <span key={policy}>
                  {place > 0 && ', '}
                  <PolicyLink id={policy} skill={skillOf(policy)} />
                </span>
              ))}
            </Text>
          )}
        </Alert>
      )}
      {decision.kind === 'resolution' && (
        <Part title="Why, in order">
          <Reasons of={decision.reasons} />
        </Part>
      )}
      <Part title="Policies that were active">
        {decision.policies.length === 0 ? (
          <Text size="sm" c="dimmed">
            None.
          </Text>
        ) : (
          <Stack gap={4}>
            {decision.policies.map((policy) => (
              <Group key={policy.id} gap="xs">
                <PolicyLink id={policy.id} skill={policy.skill_id} />
                <RevisionLink skill={policy.skill_id} revision={policy.revision} />
              </Group>
            ))}
          </Stack>
        )}
      </Part>
      {decision.task !== '' && (
        <Part title="Task">
          <Text size="sm">{decision.task ?? 'Only its digest is kept.'}</Text>
        </Part>
      )}
      {decision.tool && (
        <Part title="Arguments">
          {decision.arguments ? (
            <Json value={decision.arguments} label="Arguments" />
          ) : (
            <Text size="sm" c="dimmed">
              Only their digest is kept.
            </Text>
          )}
        </Part>
      )}
      {decision.context && Object.keys(decision.context).length > 0 && (
        <Part title="Context">
          <Json value={decision.context} label="Context" />
        </Part>
      )}
      {decision.run_id && <GovernedRun id={decision.run_id} decision={decision} />}
      <Group>
        <ButtonLink
          variant="filled"
          leftSection={<IconFlask size={16} />}
          to="/governance/bench"
          search={benchOf(decision)}
        >
          Ask again on the test bench
        </ButtonLink>
      </Group>
    </Stack>
  );
}

function GovernedRun({ id, decision }: { id: string; decision: Decision }) {
  const run = useQuery(governedRunQuery(id)).data;
  return (
    <Part title="Governed run">
      <Text size="sm">
        {run?.task || 'A run'}
        {run && (run.finished_at ? `, ended${run.outcome ? `: ${run.outcome}` : ''}` : ', still going on')}
      </Text>
      <Text size="sm" c="dimmed">
        Before this decision it had taken {decision.steps ?? 0} steps
        {decision.elapsed_ms != null && ` in ${duration(decision.elapsed_ms)}`}.
      </Text>
      <AppLink to="/governance/decisions" search={{ run: id }} size="sm">
        All decisions of this run
      </AppLink>
    </Part>
  );
}
