import { AppLink } from '@/components/AppLink';
import classes from './analytics.module.css';

type SkillNameProps = {
  skill: { skill_id: string; title: string; name: string };
  to: '/skills/$skillId' | '/skills/$skillId/usage';
};

/** A skill in a list, cut where there is no room. */
export function SkillName({ skill, to }: SkillNameProps) {
  return (
    <AppLink
      to={to}
      params={{ skillId: skill.skill_id }}
      size="sm"
      fw={550}
      c="inherit"
      underline="hover"
      className={classes.name}
    >
      {skill.title || skill.name}
    </AppLink>
  );
}
