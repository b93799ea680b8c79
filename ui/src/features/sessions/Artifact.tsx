/** The cards that tell of skills in a conversation: saved, used, proposed. */
import { Badge, Box, Button, Collapse, Group, Skeleton, Text, ThemeIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBolt, IconBulb, IconChevronDown, IconChevronUp, IconTool } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '@/api/queries';
import { statusLabel } from '@/components/badges';
import { Failure } from '@/components/page';
import { useApprover } from '@/features/reviews/ReviewDetail';
import { rightsOf } from '@/features/reviews/rights';
import { SkillContent } from '@/features/reviews/SkillContent';
import { News, useSeen } from '@/features/reviews/seen';
import { type Artifact, artifactSkillQuery } from './artifacts';
import { ReviewModal } from './ReviewModal';
import classes from './sessions.module.css';
import { useVerdict } from './useVerdict';

const looks = {
  skill_saved: { icon: IconTool, color: 'teal', label: 'Wrench' },
  skill_used: { icon: IconBolt, color: 'yellow', label: 'Lightning' },
  skill_proposal: { icon: IconBulb, color: 'violet', label: 'Light bulb' },
} as const;

export function ArtifactCard({ artifact }: { artifact: Artifact }) {
  return artifact.type === 'skill_proposal' ? (
    <ProposalCard artifact={artifact} />
  ) : (
    <SkillCard artifact={artifact} />
  );
}

function Sign({ artifact }: { artifact: Artifact }) {
  const { icon: Mark, color, label } = looks[artifact.type];
  return (
    <ThemeIcon variant="light" color={color} size={38} radius="md">
      <Mark size={20} stroke={1.7} role="img" aria-label={label} />
    </ThemeIcon>
  );
}

function SkillCard({ artifact }: { artifact: Artifact }) {
  const [open, { open: show, close }] = useDisclosure();
  const code = Boolean(artifact.metadata.skill_code);
  return (
    <Box
      className={classes.artifact}
      data-type={artifact.type}
      component="section"
      aria-label={artifact.title}
    >
      <Group gap="sm" wrap="nowrap" className={classes.grow}>
        <Sign artifact={artifact} />
        <div className={classes.grow}>
          <Text fw={600} size="sm" className={classes.break}>
            {artifact.title}
          </Text>
          <Text size="xs" c="dimmed">
            {code ? 'Click to review the code' : 'Click to review the skill'}
          </Text>
        </div>
      </Group>
      <Button size="xs" onClick={show}>
        {code ? 'View Code' : 'View Skill'}
      </Button>
      <ReviewModal artifact={artifact} opened={open} onClose={close} />
    </Box>
  );
}

/** A proposal is decided where it stands; more of it unfolds. */
function ProposalCard({ artifact }: { artifact: Artifact }) {
  const [open, { toggle }] = useDisclosure();
  const query = useQuery(artifactSkillQuery(artifact));
  const { approve, remove, busy, obstacle, forget } = useVerdict(artifact);
  const { skill, news, look } = useSeen(query.data);
  const me = useQuery(meQuery).data?.user;
  const approver = useApprover(skill ?? { scope: { kind: 'workspace' } });
  const rights = me && skill ? rightsOf(me, skill, approver) : undefined;
  const refusal =
    rights?.approve ?? (rights?.discard && 'Rejecting removes it, which only its owner and admins can do');
  const waits = skill?.status === 'draft' || skill?.status === 'pending_approval';
  return (
    <Box
      className={classes.proposal}
      data-type={artifact.type}
      component="section"
      aria-label={artifact.title}
    >
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Sign artifact={artifact} />
        <div className={classes.grow}>
          <Group gap="xs">
            <Text fw={600} size="sm" className={classes.break}>
              {artifact.title}
            </Text>
            {skill && !waits && (
              <Badge color={skill.status === 'active' ? 'green' : 'gray'}>{statusLabel(skill.status)}</Badge>
            )}
            {skill === null && <Badge color="gray">Removed</Badge>}
          </Group>
          <Text size="sm" mt={2}>
            {artifact.metadata.skill_description}
          </Text>
          {waits && (
            <Text size="xs" c="dimmed" mt={4}>
              Awaiting user confirmation.
            </Text>
          )}
          {waits && refusal && (
            <Text size="xs" c="dimmed">
              {refusal}.
            </Text>
          )}
        </div>
      </Group>
      {skill && (
        <Collapse expanded={open}>
          <Box className={classes.unfolded}>{open && <SkillContent skill={skill} />}</Box>
        </Collapse>
      )}
      {skill && query.data && news && (
        <Box mt="sm">
          <News
            read={skill}
            now={query.data}
            news={news}
            look={() => {
              forget();
              look();
            }}
          />
        </Box>
      )}
      {((obstacle && !news) || query.error) && (
        <Box mt="sm">
          <Failure
            error={obstacle?.error ?? query.error}
            retry={() => {
              forget();
              void query.refetch();
            }}
          />
        </Box>
      )}
      {query.isPending && <Skeleton height={30} mt="sm" />}
      <Group gap="xs" mt="sm">
        {skill && waits && (
          <>
            <Button
              size="xs"
              variant="filled"
              color="teal.9"
              disabled={rights?.approve !== null || news !== null}
              loading={busy}
              onClick={() => void approve(skill, 'Skill approved and ready to use')}
            >
              Approve
            </Button>
            <Button
              size="xs"
              disabled={rights?.discard !== null || news !== null || busy}
              onClick={() => void remove(skill, 'Reject', 'Skill rejected and removed')}
            >
              Reject
            </Button>
          </>
        )}
        {skill && (
          <Button
            size="xs"
            variant="subtle"
            aria-expanded={open}
            onClick={toggle}
            rightSection={open ? <IconChevronUp size={14} /> : <IconChevronDown size={14} />}
          >
            {open ? 'Show less' : 'Show more'}
          </Button>
        )}
      </Group>
    </Box>
  );
}
