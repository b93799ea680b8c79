/** Begins a conversation: through which agent decides where skills are kept and which ones are found. */
import { Alert, Button, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { usualMemory } from '@/api/memory';
import { agentsQuery, meQuery, refresh } from '@/api/queries';
import { FormButtons } from '@/components/FormButtons';
import { told } from '@/components/feedback';
import { administers } from '@/components/roles';
import { useBusy } from '@/components/useBusy';
import { through } from './queries';

const LAST = 'repertoire-conversation-agent';
const NOBODY = 'nobody';

const remembers = (agent: Schemas['AgentView']) => Boolean(agent.procedural_memory?.enabled);

export function NewConversation({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="New conversation">
      <StartForm onClose={onClose} />
    </Modal>
  );
}

function StartForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const me = useQuery(meQuery).data?.user;
  const agents = useQuery(agentsQuery).data ?? [];
  const able = agents.filter(remembers);
  const [title, setTitle] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const { busy, doing } = useBusy();
  const last = localStorage.getItem(LAST);
  const agent =
    chosen ?? (last === NOBODY || able.some(({ id }) => id === last) ? last : able[0]?.id) ?? NOBODY;

  const start = () =>
    doing(async () => {
      const name = agents.find(({ id }) => id === agent)?.name;
      const session = await call(
        api.POST('/api/v1/sessions', {
          headers: through(name),
          body: { title: title.trim() || null, source: 'web' },
        }),
      );
      localStorage.setItem(LAST, agent);
      await refresh('sessions');
      onClose();
      await navigate({ to: '/conversations/$sessionId', params: { sessionId: session.id } });
    });

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <Stack gap="sm">
        {able.length === 0 && <NoAgent admin={Boolean(me && administers(me))} />}
        <Select
          label="Agent"
          description="Skills saved in the conversation belong to you and this agent"
          allowDeselect={false}
          value={agent}
          onChange={setChosen}
          data={[
            ...able.map(({ id, title: called, name }) => ({ value: id, label: called || name })),
            { value: NOBODY, label: 'No agent: saved skills are yours alone' },
            ...agents
              .filter((one) => !remembers(one))
              .map(({ id, title: called, name }) => ({
                value: id,
                label: `${called || name} (memory is off: runs code only)`,
              })),
          ]}
        />
        <TextInput
          label="Title"
          placeholder="Optional: the first thing you write gives it one"
          maxLength={200}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
      </Stack>
      <FormButtons mt="md" onCancel={onClose} loading={busy} data-autofocus>
        Start
      </FormButtons>
    </form>
  );
}

/** Teaches what an agent with memory is for, and makes one for those who may. */
function NoAgent({ admin }: { admin: boolean }) {
  const { busy, doing } = useBusy();
  const make = () =>
    doing(async () => {
      await call(
        api.POST('/api/v1/agents', {
          body: {
            name: 'assistant',
            title: 'Assistant',
            description: 'Runs code, and keeps what works as skills.',
            procedural_memory: { ...usualMemory, enabled: true },
          },
        }),
      );
      await refresh('agents');
      told('Agent made: Assistant');
    });
  return (
    <Alert variant="light" icon={<IconRobot size={20} />} title="No agent with procedural memory yet">
      <Text size="sm">
        An agent with procedural memory keeps code that works as skills, and uses them again next time. You
        can begin without one.{!admin && ' An admin can make one.'}
      </Text>
      {admin && (
        <Button size="xs" mt="sm" loading={busy} onClick={() => void make()}>
          Make an agent with memory
        </Button>
      )}
    </Alert>
  );
}
