/** The places of the app, in the order people meet them. */
import {
  IconBooks,
  IconChartBar,
  IconChecklist,
  IconHistory,
  IconMessages,
  IconRobot,
  IconSettings,
  IconShieldHalf,
} from '@tabler/icons-react';
import { useMemo } from 'react';
import { useStanding } from '@/components/standing';

const places = [
  { to: '/skills', label: 'Library', icon: IconBooks, keys: 'g l', about: 'Every skill you can see' },
  { to: '/review', label: 'Review', icon: IconChecklist, keys: 'g r', about: 'What waits for a decision' },
  {
    to: '/conversations',
    label: 'Conversations',
    icon: IconMessages,
    keys: 'g c',
    about: 'Sessions, and a place to try things',
  },
  {
    to: '/agents',
    label: 'Agents',
    icon: IconRobot,
    keys: 'g a',
    about: 'Settings, memory and assigned skills',
  },
  {
    to: '/governance',
    label: 'Governance',
    icon: IconShieldHalf,
    keys: 'g p',
    about: 'Policies, decisions, test bench',
  },
  {
    to: '/analytics',
    label: 'Analytics',
    icon: IconChartBar,
    keys: 'g n',
    about: 'Which skills earn their place',
  },
  { to: '/audit', label: 'Audit', icon: IconHistory, keys: 'g u', about: 'What happened, provably' },
  {
    to: '/settings',
    label: 'Settings',
    icon: IconSettings,
    keys: 'g s',
    about: 'You, people, tokens, workspace',
  },
] as const;

/** Those a person may go to. */
export function usePlaces() {
  const { admin, policyAdmin } = useStanding();
  const audits = admin || policyAdmin;
  return useMemo(() => places.filter(({ to }) => to !== '/audit' || audits), [audits]);
}
