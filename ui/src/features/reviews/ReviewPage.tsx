/** The review queue: what waits on the left, the evidence and the decision on the right, all by keyboard. */
import { Button, Group, Kbd, SegmentedControl, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconChecklist } from '@tabler/icons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import { queryClient, skillQuery } from '@/api/queries';
import { BackLink } from '@/components/BackLink';
import { Empty, ListSkeleton, Loaded, Page } from '@/components/page';
import { reviews } from '@/components/roles';
import { isTyping } from '@/shell/Shortcuts';
import { type Skill, waits } from './decisions';
import { type Show, useQueue } from './queue';
import { ReviewDetail, useApprover } from './ReviewDetail';
import { ReviewList } from './ReviewList';
import classes from './review.module.css';
import { rightsOf } from './rights';
import { newsSince, pointAtNews, type Seen } from './seen';
import { useDecisions } from './useDecisions';

const route = getRouteApi('/shell/review');

export default function ReviewPage() {
  const { skill: asked, show } = route.useSearch();
  const navigate = useNavigate({ from: '/review' });
  const narrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const select = useCallback(
    (id: string | undefined, replace = true) =>
      void navigate({ search: (before) => ({ ...before, skill: id }), replace }),
    [navigate],
  );

  const order = useRef<Skill[]>([]);
  const seen = useRef<Seen>(new Map()).current;
  const decisions = useDecisions(
    useCallback(
      (skill) => {
        const at = order.current.findIndex(({ id }) => id === skill.id);
        const next = order.current[at + 1] ?? order.current[at - 1];
        // On a phone the list comes back: it says what is left.
        select(narrow ? undefined : next?.id);
      },
      [select, narrow],
    ),
    useCallback((skill) => select(skill.id), [select]),
  );
  const { me, list, shown, counts } = useQueue(show, decisions.decided);
  order.current = shown;
  const open = asked ?? (narrow ? undefined : shown[0]?.id);
  const current = shown.find(({ id }) => id === open);
  useKeys({ shown, current, me, decisions, select, seen });

  const reviewer = me && reviews(me);
  return (
    <Page
      title="Review"
      description={
        reviewer
          ? 'Drafts, new skills, edits and promotions that wait for a decision.'
          : 'Your drafts, and what you handed in. A reviewer decides about what others can use.'
      }
      beside
      actions={counts.all > 0 && <Keys />}
    >
      <Loaded query={list} skeleton={<ListSkeleton rows={6} height={84} />}>
        {() =>
          counts.all === 0 && !asked ? (
            <NothingWaits reviewer={Boolean(reviewer)} />
          ) : (
            <div className={classes.panes}>
              {!(narrow && asked) && (
                <div className={classes.side}>
                  <SegmentedControl
                    fullWidth
                    size="xs"
                    mb="sm"
                    aria-label="Show"
                    value={show ?? 'all'}
                    onChange={(value) =>
                      void navigate({ search: value === 'all' ? {} : { show: value as Show }, replace: true })
                    }
                    data={[
                      { value: 'all', label: `All ${counts.all}` },
                      { value: 'pending', label: `Pending ${counts.pending}` },
                      { value: 'drafts', label: `Drafts ${counts.drafts}` },
                      { value: 'promotions', label: `Promotions ${counts.promotions}` },
                    ]}
                  />
                  {shown.length === 0 ? (
                    <Text size="sm" c="dimmed" p="sm">
                      Nothing of this kind waits.
                    </Text>
                  ) : (
                    <ReviewList
                      skills={shown}
                      selected={open}
                      onSelect={(id) => select(id, !narrow)}
                      more={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
                    />
                  )}
                </div>
              )}
              {open && me && (
                <div className={classes.pane}>
                  {narrow && (
                    <BackLink to="/review" search={{ show }}>
                      All that waits
                    </BackLink>
                  )}
                  <ReviewDetail key={open} id={open} seen={seen} me={me} decisions={decisions} />
                </div>
              )}
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

/** How long a `g` waits for its second key. */
const LEAD_MS = 1_200;

type KeyProps = {
  shown: Skill[];
  current: Skill | undefined;
  me: Parameters<typeof rightsOf>[0] | undefined;
  decisions: ReturnType<typeof useDecisions>;
  select: (id: string) => void;
  seen: Seen;
};

function useKeys({ shown, current, me, decisions, select, seen }: KeyProps): void {
  const navigate = useNavigate();
  const approver = useApprover(current ?? { scope: { kind: 'workspace' } });
  const lead = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // After `g` a letter goes to a place; it decides nothing.
      const leads = event.timeStamp - lead.current < LEAD_MS;
      lead.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (leads || event.repeat) return;
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (document.querySelector('[role="dialog"], [role="menu"]')) return;
      const target = event.target instanceof Element ? event.target : null;
      const inList = target === document.body || Boolean(target?.closest('[data-row]'));
      const at = current ? shown.indexOf(current) : -1;
      const step = { j: 1, k: -1, ...(inList && { ArrowDown: 1, ArrowUp: -1 }) }[event.key];
      if (step) {
        const next = shown[Math.min(Math.max(at + step, 0), shown.length - 1)];
        if (next) select(next.id);
        event.preventDefault();
      } else if (event.key === 'u') {
        decisions.takeBack();
      } else if (event.key === 'Enter' && inList && current) {
        event.preventDefault();
        void navigate({ to: '/skills/$skillId', params: { skillId: current.id } });
      } else if (current && me) {
        // Decided is what the pane shows, which the list may be behind; nothing while it shows nothing.
        const now = queryClient.getQueryData(skillQuery(current.id).queryKey);
        const read = seen.get(current.id);
        if (!now || !read || !waits(now)) return;
        const rights = rightsOf(me, now, approver);
        const step =
          event.key === 'a' && rights.approve === null
            ? decisions.approve
            : event.key === 'x' && rights.reject === null
              ? decisions.reject
              : null;
        if (!step) return;
        if (newsSince(read, now)) pointAtNews();
        else void step(now);
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [shown, current, me, approver, decisions, select, navigate, seen]);
}

const keys = [
  ['j', 'k', 'move'],
  ['a', 'approve'],
  ['x', 'reject'],
  ['Enter', 'open'],
  ['u', 'undo'],
];

function Keys() {
  return (
    <Group gap="md" visibleFrom="md" role="note" aria-label="Keys">
      {keys.map((words) => (
        <Group key={words.join()} gap={4}>
          {words.slice(0, -1).map((key) => (
            <Kbd key={key} size="xs">
              {key}
            </Kbd>
          ))}
          <Text size="xs" c="dimmed">
            {words.at(-1)}
          </Text>
        </Group>
      ))}
    </Group>
  );
}

function NothingWaits({ reviewer }: { reviewer: boolean }) {
  return (
    <Empty
      icon={IconChecklist}
      title="Nothing waits"
      actions={
        <>
          <Button component={Link} to="/conversations">
            Open conversations
          </Button>
          <Button component={Link} to="/agents">
            Agents
          </Button>
        </>
      }
    >
      {reviewer
        ? 'Here come skills that agents propose, skills of agents that demand approval, what people hand in for everyone, and promotions they ask for. Turn on “Ask for approval” in an agent to see its skills here before it uses them.'
        : 'Here come your drafts, what agents propose to you, and what you handed in for others, until somebody decides.'}
    </Empty>
  );
}
