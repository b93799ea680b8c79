/** The editor of one agent: a draft over several tabs, saved as a whole, that never loses what was typed. */
import { ActionIcon, Alert, Badge, Code, Menu, Tabs, ThemeIcon } from '@mantine/core';
import { IconDots, IconLock, IconRobot, IconTrash } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { ApiError, api, call, messageOf } from '@/api/client';
import { queryClient, refresh } from '@/api/queries';
import { AppLink } from '@/components/AppLink';
import { BackLink } from '@/components/BackLink';
import { ask, failed } from '@/components/feedback';
import { Page } from '@/components/page';
import { SaveBar } from '@/components/SaveBar';
import { useStanding } from '@/components/standing';
import { useTabInSight } from '@/components/useTabInSight';
import { ConnectTab } from './ConnectTab';
import { ContextTab } from './ContextTab';
import { DiscoveryTab } from './DiscoveryTab';
import type { Agent, AgentDraft } from './draft';
import { InfoTab } from './InfoTab';
import { MemoryTab } from './MemoryTab';
import { SkillsTab } from './SkillsTab';
import { StaleNote } from './StaleNote';
import { useAgentDraft } from './useAgentDraft';

const tabs = [
  { value: 'info', label: 'Info' },
  { value: 'memory', label: 'Memory' },
  { value: 'discovery', label: 'Discovery' },
  { value: 'skills', label: 'Skills' },
  { value: 'context', label: 'Context' },
  { value: 'connect', label: 'Connect' },
];

/** What each tab of settings gets. */
export type TabProps = {
  draft: AgentDraft;
  change: (part: Partial<AgentDraft>) => void;
  locked: boolean;
};

export function AgentEditor({ agent }: { agent: Agent }) {
  const navigate = useNavigate();
  const { admin } = useStanding();
  const search = useSearch({ from: '/shell/agents/$agentId' });
  const tab = tabs.some(({ value }) => value === search.tab) ? (search.tab as string) : 'info';
  const bar = useTabInSight<HTMLDivElement>(tab);
  const editing = useAgentDraft(agent);
  const { draft, changed } = editing;
  const [gone, setGone] = useState<ApiError>();

  const remove = async () => {
    const sure = await ask({
      title: `Delete ${agent.title || agent.name}?`,
      message:
        'Its settings and assignments go, and tokens that are bound to it end at once. This cannot be undone.',
      confirm: 'Delete agent',
    });
    if (!sure) return;
    try {
      await call(api.DELETE('/api/v1/agents/{id}', { params: { path: { id: agent.id } } }));
      // What was typed goes with the agent; the guard must know before the page is left.
      flushSync(editing.discard);
      queryClient.removeQueries({ queryKey: ['agents', 'one', agent.id] });
      await navigate({ to: '/agents' });
      await refresh('agents', 'tokens');
    } catch (error) {
      if (error instanceof ApiError && error.code === 'agent_has_skills') setGone(error);
      else failed(error);
    }
  };

  const props: TabProps = { draft, change: editing.change, locked: !admin };
  return (
    <Page
      title={agent.title || agent.name}
      description={<Code>{agent.name}</Code>}
      icon={
        <ThemeIcon size={44} radius="md" variant="light" aria-hidden>
          <IconRobot size={26} stroke={1.6} />
        </ThemeIcon>
      }
      aside={
        <Badge color={agent.procedural_memory?.enabled ? 'green' : 'gray'}>
          {agent.procedural_memory?.enabled ? 'Memory on' : 'Memory off'}
        </Badge>
      }
      above={<BackLink to="/agents">Agents</BackLink>}
      beside
      actions={
        admin && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon size="lg" variant="default" aria-label="More">
                <IconDots size={18} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => void remove()}>
                Delete agent
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )
      }
    >
      {!admin && (
        <Alert icon={<IconLock size={18} />} color="gray" mb="md" py="xs">
          Admins change agents; you can look.
        </Alert>
      )}
      {gone && (
        <Alert
          color="yellow"
          mb="md"
          title="Skills still live in its scope"
          withCloseButton
          closeButtonLabel="Close"
          onClose={() => setGone(undefined)}
          role="alert"
        >
          {messageOf(gone)}.{' '}
          <AppLink to="/skills" search={{ agent: agent.id }} size="sm" c="inherit">
            See them in the library
          </AppLink>
        </Alert>
      )}
      <StaleNote editing={editing} />
      <Tabs
        value={tab}
        onChange={(next) =>
          next &&
          void navigate({
            to: '.',
            search: { tab: next === 'info' ? undefined : next },
            replace: true,
            resetScroll: false,
          })
        }
        keepMounted={false}
      >
        <Tabs.List ref={bar} mb="lg" aria-label="Parts of the agent">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="info">
          <InfoTab {...props} agent={agent} problem={editing.nameProblem} />
        </Tabs.Panel>
        <Tabs.Panel value="memory">
          <MemoryTab {...props} />
        </Tabs.Panel>
        <Tabs.Panel value="discovery">
          <DiscoveryTab {...props} />
        </Tabs.Panel>
        <Tabs.Panel value="skills">
          <SkillsTab {...props} />
        </Tabs.Panel>
        <Tabs.Panel value="context">
          <ContextTab agent={agent} unsaved={changed} />
        </Tabs.Panel>
        <Tabs.Panel value="connect">
          <ConnectTab agent={agent} />
        </Tabs.Panel>
      </Tabs>
      <SaveBar
        changed={changed}
        saving={editing.saving}
        error={editing.error}
        onSave={() => void editing.save()}
        onDiscard={editing.discard}
      />
    </Page>
  );
}
