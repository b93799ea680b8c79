/** What agents may do: the policies in force, what was decided, and a bench to ask. */
import { Tabs } from '@mantine/core';
import { IconFlask, IconListDetails, IconShieldHalf } from '@tabler/icons-react';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Page } from '@/components/page';
import classes from './governance.module.css';

const tabs = [
  { to: '/governance', label: 'Policies', icon: IconShieldHalf },
  { to: '/governance/decisions', label: 'Decisions', icon: IconListDetails },
  { to: '/governance/bench', label: 'Test bench', icon: IconFlask },
] as const;

export default function GovernancePage() {
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname.replace(/\/$/, '') });
  return (
    <Page title="Governance" description="Which tools and limits hold for agents, what was decided, and why.">
      <Tabs value={path} onChange={(to) => to && void navigate({ to })} keepMounted={false}>
        <Tabs.List mb="lg" className={classes.tabs}>
          {tabs.map(({ to, label, icon: Mark }) => (
            <Tabs.Tab key={to} value={to} leftSection={<Mark size={16} stroke={1.7} />}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ to }) => (
          <Tabs.Panel key={to} value={to}>
            <Outlet />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
