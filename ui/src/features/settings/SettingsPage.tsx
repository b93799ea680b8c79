import { Tabs } from '@mantine/core';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Page } from '@/components/page';
import { useTabInSight } from '@/components/useTabInSight';

const tabs = [
  { to: '/settings', label: 'Profile' },
  { to: '/settings/users', label: 'People' },
  { to: '/settings/tokens', label: 'Tokens' },
  { to: '/settings/workspace', label: 'Workspace' },
  { to: '/settings/system', label: 'System' },
] as const;

export default function SettingsPage() {
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname.replace(/\/$/, '') });
  const bar = useTabInSight<HTMLDivElement>(path);
  return (
    <Page
      title="Settings"
      description="You, the people here, tokens, the workspace and the machine it runs on."
    >
      <Tabs
        value={path}
        onChange={(to) => {
          const tab = tabs.find((other) => other.to === to);
          if (tab) void navigate({ to: tab.to });
        }}
      >
        <Tabs.List ref={bar} mb="lg" aria-label="Settings">
          {tabs.map(({ to, label }) => (
            <Tabs.Tab key={to} value={to}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={path}>
          <Outlet />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
