/** The tabs of a skill: links, since each has its own address. */
import { Link, useRouterState } from '@tanstack/react-router';
import { useTabInSight } from '@/components/useTabInSight';
import classes from './SkillTabs.module.css';

const tabs = [
  { to: '/skills/$skillId', label: 'Info' },
  { to: '/skills/$skillId/content', label: 'Content' },
  { to: '/skills/$skillId/code', label: 'Code' },
  { to: '/skills/$skillId/policy', label: 'Policy' },
  { to: '/skills/$skillId/history', label: 'History' },
  { to: '/skills/$skillId/usage', label: 'Usage' },
  { to: '/skills/$skillId/sync', label: 'Sync' },
] as const;

export function SkillTabs({ id }: { id: string }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const bar = useTabInSight<HTMLElement>(path);
  return (
    <nav ref={bar} aria-label="Parts of the skill" className={classes.tabs}>
      {tabs.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ skillId: id }}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
          className={classes.tab}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
