/** One skill, as it stands in every list of the library: a row, on a phone a card. */
import { Badge, Button, Checkbox, Switch, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { FacetMarks, OriginBadge, StatusBadge } from '@/components/badges';
import { Ago, counted, percent } from '@/components/time';
import { rightsOf } from '../rights';
import { SkillIcon } from '../SkillIcon';
import { ownerOf, useLibrary } from './context';
import classes from './library.module.css';

type Skill = Schemas['SkillView'];

type RowProps = {
  skill: Skill;
  /** What is shown around it, for choosing a range. */
  shown: readonly (Skill | undefined)[];
  /** In place of how it does: how well it fits. */
  measure?: ReactNode;
  /** Below the description: why it was found. */
  children?: ReactNode;
};

export const SkillRow = memo(function SkillRow({ skill, shown, measure, children }: RowProps) {
  const library = useLibrary();
  const title = skill.title || skill.name;
  const chosen = library.selection.chosen.has(skill.id);
  return (
    <article className={classes.row} data-chosen={chosen || undefined} data-off={!skill.usable || undefined}>
      <Checkbox
        size="xs"
        className={classes.choose}
        checked={chosen}
        aria-label={`Select ${title}`}
        onChange={(event) => {
          const { shiftKey } = event.nativeEvent as unknown as MouseEvent;
          library.selection.toggle(skill, shown, shiftKey);
        }}
      />
      <SkillIcon icon={skill.icon} title={title} size={36} className={classes.icon} />
      <div className={classes.main}>
        <div className={classes.naming}>
          <Link
            to="/skills/$skillId"
            params={{ skillId: skill.id }}
            className={classes.title}
            data-skill-link
            preload={false}
          >
            {title}
          </Link>
          {title !== skill.name && <span className={classes.name}>{skill.name}</span>}
        </div>
        <Text size="sm" c="dimmed" className={classes.description}>
          {skill.description}
        </Text>
        {children}
      </div>
      <div className={classes.kind}>
        <div className={classes.badges}>
          <OriginBadge origin={skill.origin} />
          {!skill.usable && <StatusBadge status={skill.status} enabled={skill.enabled} />}
        </div>
        <Text size="xs" c="dimmed" truncate title={ownerOf(skill, library)}>
          {ownerOf(skill, library)}
        </Text>
      </div>
      <div className={classes.marks}>
        <FacetMarks of={skill.facets} />
        <Tags of={skill.tags} />
      </div>
      <div className={classes.measure}>{measure ?? <Uses skill={skill} />}</div>
      <div className={classes.act}>
        {skill.deleted_at ? (
          <Button size="compact-sm" onClick={() => library.bringBack(skill)}>
            Bring back
          </Button>
        ) : (
          <Toggle skill={skill} title={title} />
        )}
      </div>
    </article>
  );
});

function Tags({ of }: { of: string[] }) {
  if (of.length === 0) return null;
  const rest = of.slice(1);
  return (
    <div className={classes.tags} title={of.join(', ')}>
      <Badge size="sm" color="gray" className={classes.tag}>
        {of[0]}
      </Badge>
      {rest.length > 0 && (
        <Text size="xs" c="dimmed" component="span">
          +{rest.length}
        </Text>
      )}
    </div>
  );
}

function Uses({ skill: { statistics, deleted_at } }: { skill: Skill }) {
  if (deleted_at) {
    return (
      <>
        <Text size="xs" c="dimmed">
          Deleted
        </Text>
        <Ago at={deleted_at} size="xs" c="dimmed" />
      </>
    );
  }
  if (statistics.use_count === 0) {
    return (
      <Text size="xs" c="dimmed">
        Not used yet
      </Text>
    );
  }
  return (
    <>
      <Text size="sm">{counted(statistics.use_count, 'use')}</Text>
      {statistics.execution_count > 0 && (
        <Text size="xs" c="dimmed">
          {percent(statistics.success_rate)} success
        </Text>
      )}
    </>
  );
}

function Toggle({ skill, title }: { skill: Skill; title: string }) {
  const { me, turn } = useLibrary();
  const may = me && rightsOf(me, skill).switch;
  return (
    <span title={may ? undefined : 'Only reviewers and admins turn it on or off'}>
      <Switch
        size="sm"
        checked={skill.enabled}
        disabled={!may}
        aria-label={`${title} is on`}
        onChange={(event) => turn(skill, event.currentTarget.checked)}
      />
    </span>
  );
}
