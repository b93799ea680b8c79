/**
 * One skill, as it stands in every list of the library: a row, on a phone a card. Many are made while one scrolls, so
 * it is of plain elements: components that bring hints and states of their own cost a frame.
 */
import { Button } from '@mantine/core';
import { memo, type ReactNode, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { facets, originOf, StatusBadge } from '@/components/badges';
import { ago, counted, moment, percent } from '@/components/time';
import { rightsOf } from '../rights';
import { iconOf } from '../SkillIcon';
import { ownerOf, useLibrary } from './context';
import controls from './controls.module.css';
import classes from './row.module.css';

type Skill = Schemas['SkillView'];

type RowProps = {
  skill: Skill;
  /** What is shown around it, for choosing a range. */
  shown: RefObject<readonly Skill[]>;
  /** In place of how it does: how well it fits. */
  measure?: ReactNode;
  /** Below the description: why it was found. */
  children?: ReactNode;
};

export const SkillRow = memo(function SkillRow({ skill, shown, measure, children }: RowProps) {
  const { me, names, selection, turn, open, bringBack } = useLibrary();
  const title = skill.title || skill.name;
  const chosen = selection.chosen.has(skill.id);
  const may = me !== undefined && rightsOf(me, skill).switch;
  const owner = ownerOf(skill, { me, names });
  return (
    <article
      className={classes.row}
      data-chosen={chosen || undefined}
      data-deleted={Boolean(skill.deleted_at) || undefined}
    >
      <input
        type="checkbox"
        className={`${classes.choose} ${controls.box}`}
        checked={chosen}
        aria-label={`Select ${title}`}
        onChange={(event) => {
          const { shiftKey } = event.nativeEvent as unknown as MouseEvent;
          selection.toggle(skill, shown.current, shiftKey);
        }}
      />
      <div className={classes.icon} data-own={Boolean(skill.icon) || undefined} aria-hidden>
        {iconOf(skill.icon, title)}
      </div>
      <div className={classes.main}>
        <div className={classes.naming}>
          <a
            href={`/skills/${skill.id}`}
            className={classes.title}
            data-skill-link
            onClick={(event) => {
              // Whoever wants another tab gets it, as from every link.
              if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
              event.preventDefault();
              open(skill);
            }}
          >
            {title}
          </a>
          {title !== skill.name && <span className={classes.name}>{skill.name}</span>}
        </div>
        <p className={classes.description}>{skill.description}</p>
        {children}
      </div>
      <div className={classes.kind}>
        <div className={classes.badges}>
          <Origin origin={skill.origin} />
          {!skill.usable && !skill.deleted_at && (
            <StatusBadge status={skill.status} enabled={skill.enabled} />
          )}
        </div>
        <div className={classes.owner} title={owner}>
          {owner}
        </div>
      </div>
      <div className={classes.marks}>
        <Facets of={skill.facets} />
        <Tags of={skill.tags} />
      </div>
      <div className={classes.measure}>{measure ?? <Uses skill={skill} />}</div>
      <div className={classes.act}>
        {skill.deleted_at ? (
          <Button size="compact-sm" onClick={() => bringBack(skill)}>
            Bring back
          </Button>
        ) : (
          <input
            type="checkbox"
            role="switch"
            className={controls.switch}
            checked={skill.enabled}
            aria-checked={skill.enabled}
            disabled={!may}
            title={may ? undefined : 'Only reviewers and admins turn it on or off'}
            aria-label={`${title} is on`}
            onChange={(event) => turn(skill, event.currentTarget.checked)}
          />
        )}
      </div>
    </article>
  );
});

function Origin({ origin }: { origin: string }) {
  const { label, about, icon: Mark } = originOf(origin);
  return (
    <span className={classes.origin} title={about}>
      <Mark size={12} aria-hidden />
      {label}
    </span>
  );
}

function Facets({ of }: { of: string[] }) {
  return (
    <div className={classes.facets}>
      {of.map((facet) => {
        const known = facets[facet];
        if (!known) return null;
        const Mark = known.icon;
        return (
          <span key={facet} title={`${known.label}: ${known.about}`}>
            <Mark size={16} stroke={1.7} role="img" aria-label={known.label} />
          </span>
        );
      })}
    </div>
  );
}

function Tags({ of }: { of: string[] }) {
  if (of.length === 0) return null;
  return (
    <div className={classes.tags} title={of.join(', ')}>
      <span className={classes.tag}>{of[0]}</span>
      {of.length > 1 && <span className={classes.small}>+{of.length - 1}</span>}
    </div>
  );
}

function Uses({ skill: { statistics, deleted_at } }: { skill: Skill }) {
  if (deleted_at) {
    return (
      <time className={classes.small} dateTime={deleted_at} title={moment(deleted_at)}>
        Deleted {ago(deleted_at)}
      </time>
    );
  }
  if (statistics.use_count === 0) return <span className={classes.small}>Not used yet</span>;
  return (
    <>
      <div className={classes.uses}>{counted(statistics.use_count, 'use')}</div>
      {statistics.execution_count > 0 && (
        <div className={classes.small}>{percent(statistics.success_rate)} success</div>
      )}
    </>
  );
}
