/** One assigned skill: what it is, which revision the agent gets, and its place in the order. */
import { ActionIcon, Group, Select, Skeleton, Text, Tooltip } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconGripVertical, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { DragEvent } from 'react';
import { ApiError, api, call } from '@/api/client';
import { skillQuery } from '@/api/queries';
import { AppLink } from '@/components/AppLink';
import { FacetMarks, StatusBadge } from '@/components/badges';
import { ago } from '@/components/time';
import classes from './agents.module.css';
import type { Assignment } from './draft';

type Drag = {
  onDragStart: () => void;
  onDragOver: (event: DragEvent) => void;
  onDrop: (event: DragEvent) => void;
  onDragEnd: () => void;
};

type AssignedSkillProps = {
  assignment: Assignment;
  place: number;
  last: boolean;
  locked: boolean;
  isOver: boolean;
  move: (to: number, name: string) => void;
  pin: (revision: number | null) => void;
  remove: () => void;
  drag: Drag;
};

export function AssignedSkill({
  assignment,
  place,
  last,
  locked,
  isOver,
  move,
  pin,
  remove,
  drag,
}: AssignedSkillProps) {
  const { skill_id: id } = assignment;
  const read = useQuery(skillQuery(id));
  const skill = read.data;
  const name = skill ? skill.title || skill.name : 'this skill';
  return (
    <li
      className={classes.skill}
      data-over={isOver || undefined}
      draggable={!locked}
      {...(locked ? {} : drag)}
    >
      {!locked && (
        <span className={classes.handle} aria-hidden>
          <IconGripVertical size={18} stroke={1.6} />
        </span>
      )}
      <Text size="sm" className={classes.place}>
        {place + 1}
      </Text>
      <div className={classes.main}>
        {skill ? (
          <>
            <Group gap="xs">
              <AppLink
                to="/skills/$skillId"
                params={{ skillId: id }}
                fw={600}
                c="inherit"
                underline="hover"
                draggable={false}
              >
                {name}
              </AppLink>
              <FacetMarks of={skill.facets} />
              {!skill.usable && <StatusBadge status={skill.status} enabled={skill.enabled} />}
            </Group>
            <Text size="sm" c="dimmed" lineClamp={1}>
              {skill.description}
            </Text>
          </>
        ) : read.isPending ? (
          <Skeleton height={18} width={180} />
        ) : (
          <Text size="sm" c="dimmed">
            {read.error instanceof ApiError && [403, 404].includes(read.error.status)
              ? 'A skill that is deleted, or that you may not see'
              : 'This skill could not be read'}
          </Text>
        )}
      </div>
      <Pin id={id} name={name} pin={assignment.pin ?? null} locked={locked || !skill} onChange={pin} />
      {!locked && (
        <Group gap={2} wrap="nowrap" className={classes.steps}>
          <Tooltip label="Move up">
            <ActionIcon
              aria-label={`Move ${name} up`}
              disabled={place === 0}
              onClick={() => move(place - 1, name)}
            >
              <IconArrowUp size={17} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Move down">
            <ActionIcon
              aria-label={`Move ${name} down`}
              disabled={last}
              onClick={() => move(place + 1, name)}
            >
              <IconArrowDown size={17} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Take it from the agent">
            <ActionIcon aria-label={`Remove ${name}`} onClick={remove}>
              <IconX size={17} />
            </ActionIcon>
          </Tooltip>
        </Group>
      )}
    </li>
  );
}

/** Which revision the agent gets: the current one, or one that is kept. */
function Pin({
  id,
  name,
  pin,
  locked,
  onChange,
}: {
  id: string;
  name: string;
  pin: number | null;
  locked: boolean;
  onChange: (revision: number | null) => void;
}) {
  const revisions = useQuery({
    queryKey: ['skills', 'revisions', id, 'pins'],
    queryFn: () =>
      call(api.GET('/api/v1/skills/{id}/revisions', { params: { path: { id }, query: { limit: 200 } } })),
    enabled: !locked,
  });
  const known = revisions.data?.items ?? [];
  const data = [
    { value: 'current', label: 'Current revision' },
    ...known.map((revision) => ({
      value: String(revision.number),
      label: `Revision ${revision.number}${revision.label ? ` (${revision.label})` : ''}, ${ago(revision.created_at)}`,
    })),
  ];
  if (pin !== null && !known.some((revision) => revision.number === pin))
    data.push({ value: String(pin), label: `Revision ${pin}` });
  return (
    <Select
      aria-label={`Revision of ${name}`}
      data={data}
      value={pin === null ? 'current' : String(pin)}
      onChange={(value) => value && onChange(value === 'current' ? null : Number(value))}
      allowDeselect={false}
      disabled={locked}
      size="xs"
      w={190}
    />
  );
}
