import { Group, Text } from '@mantine/core';
import type { Schemas } from '@/api/client';
import { Section } from '@/components/Section';
import { counted, percent } from '@/components/time';
import classes from './analytics.module.css';
import { SkillName } from './SkillName';

type SkillBarsProps = {
  title: string;
  about: string;
  skills: Schemas['UsedSkillView'][];
  /** What the length of a bar means: how often, or how well. */
  by?: 'uses' | 'rate';
  none?: string;
};

export function SkillBars({ title, about, skills, by = 'uses', none }: SkillBarsProps) {
  const most = Math.max(1, ...skills.map((skill) => skill.uses));
  return (
    <Section title={title} about={about}>
      {skills.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none ?? 'None.'}
        </Text>
      ) : (
        <ul className={classes.bars} aria-label={title}>
          {skills.slice(0, 10).map((skill) => (
            <li key={skill.skill_id}>
              <Group justify="space-between" gap="sm" wrap="nowrap" mb={4}>
                <SkillName skill={skill} to="/skills/$skillId/usage" />
                <Text size="sm" c="dimmed" className={classes.figure}>
                  {by === 'uses'
                    ? `${counted(skill.uses, 'use')}, ${percent(skill.success_rate)}`
                    : `${percent(skill.success_rate)} of ${counted(skill.uses, 'use')}`}
                </Text>
              </Group>
              <div className={classes.track} aria-hidden>
                <div
                  className={classes.good}
                  style={{
                    width: `${((by === 'uses' ? skill.successes / most : skill.success_rate) * 100).toFixed(1)}%`,
                  }}
                />
                <div
                  className={classes.bad}
                  style={{
                    width: `${((by === 'uses' ? (skill.uses - skill.successes) / most : 1 - skill.success_rate) * 100).toFixed(1)}%`,
                  }}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
