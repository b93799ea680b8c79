/** A skill that a conversation tells of, to read whole and to decide about. */
import { Alert, Anchor, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconInfoCircle, IconTrashOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '@/api/client';
import { meQuery } from '@/api/queries';
import { statusLabel } from '@/components/badges';
import { CodeEditor } from '@/components/code';
import { Failure } from '@/components/page';
import { counted, percent } from '@/components/time';
import { skillFileQuery } from '@/features/reviews/files';
import { useApprover } from '@/features/reviews/ReviewDetail';
import { rightsOf } from '@/features/reviews/rights';
import { SkillContent } from '@/features/reviews/SkillContent';
import { News, useSeen } from '@/features/reviews/seen';
import { type Artifact, artifactSkillQuery } from './artifacts';
import classes from './sessions.module.css';
import { useVerdict } from './useVerdict';

type Skill = Schemas['SkillDetailView'];
type ModalProps = { artifact: Artifact; opened: boolean; onClose: () => void };

export function ReviewModal({ artifact, opened, onClose }: ModalProps) {
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const query = useQuery({ ...artifactSkillQuery(artifact), enabled: opened });
  const verdict = useVerdict(artifact);
  const close = () => {
    verdict.forget();
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={artifact.metadata.skill_name}
      classNames={{ title: classes.modalTitle }}
      size="xl"
      fullScreen={narrow}
      // The question before a removal stands above it and has the keyboard.
      zIndex={190}
      trapFocus={!verdict.asking}
      closeOnEscape={!verdict.asking}
    >
      {query.data ? (
        <Whole artifact={artifact} now={query.data} verdict={verdict} close={close} />
      ) : query.data === null ? (
        <Gone artifact={artifact} close={close} />
      ) : query.error ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Skeleton height={220} radius="md" />
      )}
    </Modal>
  );
}

type WholeProps = {
  artifact: Artifact;
  now: Skill;
  verdict: ReturnType<typeof useVerdict>;
  close: () => void;
};

function Whole({ artifact, now, verdict, close }: WholeProps) {
  const { skill, news, look } = useSeen(now);
  const me = useQuery(meQuery).data?.user;
  const approver = useApprover(skill);
  const rights = me && rightsOf(me, skill, approver);
  const used = artifact.type === 'skill_used';
  const { execution_count, success_rate } = skill.statistics;
  const status = skill.status === 'active' && !skill.enabled ? 'Disabled' : statusLabel(skill.status);
  const settled = skill.status === 'rejected' || skill.status === 'archived';
  const inUse = used && skill.usable;
  const mayApprove = !settled && (rights?.approve === null || inUse);
  const goOn = () => {
    verdict.forget();
    look();
  };
  const decide = async (step: Promise<boolean>) => {
    if (await step) close();
  };
  return (
    <Stack gap="md">
      <div>
        <Text>{skill.description}</Text>
        <Text size="sm" c="dimmed" mt={4}>
          {used
            ? `Status: ${status} | Used ${counted(execution_count, 'time')} | ${percent(success_rate)} success rate`
            : `Status: ${status}`}
        </Text>
      </div>
      {settled && (
        <Alert color="yellow" variant="light" icon={<IconInfoCircle size={18} />}>
          Somebody {skill.status} this skill meanwhile{skill.status_reason ? `: ${skill.status_reason}` : '.'}
        </Alert>
      )}
      {news && <News read={skill} now={now} news={news} look={goOn} />}
      {verdict.obstacle &&
        !news &&
        (verdict.obstacle.changed ? (
          <Alert color="yellow" variant="light" icon={<IconInfoCircle size={18} />} role="alert">
            Somebody else changed this skill meanwhile. This is how it stands now: look at it again.
          </Alert>
        ) : (
          <Failure error={verdict.obstacle.error} />
        ))}
      <ChangedSince artifact={artifact} skill={skill} />
      <SkillContent skill={skill} codeFirst />
      <Group justify="space-between" gap="sm" className={classes.verdict}>
        <Anchor component={Link} to={`/skills/${skill.id}`} size="sm">
          Open in the library
        </Anchor>
        <Group gap="xs">
          {rights && rights.discard !== null && (
            <Text size="xs" c="dimmed" maw={220}>
              {skill.scope.user_id ? rights.discard : 'It is shared: an admin can remove it'}
            </Text>
          )}
          <Button
            color="red"
            disabled={rights?.discard !== null || news !== null || verdict.busy}
            onClick={() =>
              void decide(
                used
                  ? verdict.remove(skill, 'Remove', 'Skill removed - agent will generate new code next time')
                  : verdict.remove(skill, 'Reject', 'Skill rejected and removed'),
              )
            }
          >
            {used ? 'Remove Skill' : 'Reject'}
          </Button>
          <Button
            variant="filled"
            color="teal.9"
            disabled={!mayApprove || news !== null}
            loading={verdict.busy}
            onClick={() =>
              void decide(
                // Keeping is not granting: a promotion that waits is decided where it is shown.
                inUse && (rights?.approve !== null || skill.promotion)
                  ? verdict.keep()
                  : verdict.approve(
                      skill,
                      used ? 'Skill will continue to be used' : 'Skill approved and ready to use',
                    ),
              )
            }
          >
            {used ? 'Keep Skill' : 'Approve'}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}

/** Says when the code is no longer what the conversation told of. */
function ChangedSince({ artifact, skill }: { artifact: Artifact; skill: Skill }) {
  const path = skill.procedure?.file ?? '';
  const code = useQuery({ ...skillFileQuery(skill.id, path, skill.shown.number), enabled: Boolean(path) });
  const told = artifact.metadata.skill_code;
  if (!told || !code.data || code.data.trim() === told.trim()) return null;
  return (
    <Text size="sm" c="dimmed">
      The code has changed since: this is revision {skill.shown.number}.
    </Text>
  );
}

/** The skill is no more; what the conversation kept of it is still told. */
function Gone({ artifact, close }: { artifact: Artifact; close: () => void }) {
  const { skill_description: description, skill_code: code, skill_name: name } = artifact.metadata;
  return (
    <Stack gap="md">
      <Alert
        color="gray"
        variant="light"
        icon={<IconTrashOff size={18} />}
        title="This skill was already removed"
      >
        There is nothing left to decide. What the conversation kept of it stands below.
      </Alert>
      <Text>{description}</Text>
      {code && (
        <CodeEditor value={code} language="python" readOnly label={`Code of ${name}`} maxHeight="26rem" />
      )}
      <Group justify="flex-end">
        <Button onClick={close}>Close</Button>
      </Group>
    </Stack>
  );
}
