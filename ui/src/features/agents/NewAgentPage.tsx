import { Alert, Button, Group, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconLock } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, api, call, messageOf } from '@/api/client';
import { usualMemory } from '@/api/memory';
import { refresh } from '@/api/queries';
import { BackLink } from '@/components/BackLink';
import { failed, told } from '@/components/feedback';
import { Page } from '@/components/page';
import { nameProblem, slug } from '@/components/slug';
import { useStanding } from '@/components/standing';
import { useUnsavedGuard } from '@/components/unsaved';

export default function NewAgentPage() {
  const navigate = useNavigate();
  const { admin } = useStanding();
  const [made, setMade] = useState<string>();
  const [saving, setSaving] = useState(false);
  // The name follows the title until somebody writes one.
  const [ownName, setOwnName] = useState(false);
  const form = useForm({
    initialValues: { title: '', name: '', description: '', memory: true },
    validate: { name: nameProblem },
  });
  useUnsavedGuard(form.isDirty() && !made);

  const create = form.onSubmit(async ({ title, name, description, memory }) => {
    setSaving(true);
    try {
      const agent = await call(
        api.POST('/api/v1/agents', {
          body: {
            name,
            title: title.trim() || name,
            description,
            procedural_memory: memory ? { ...usualMemory, enabled: true } : null,
          },
        }),
      );
      setMade(agent.id);
      told(`${agent.title} is there`);
      await refresh('agents');
      await navigate({
        to: '/agents/$agentId',
        params: { agentId: agent.id },
        search: { tab: 'skills' },
        ignoreBlocker: true,
      });
    } catch (error) {
      setSaving(false);
      if (error instanceof ApiError && error.code === 'name_taken')
        form.setFieldError('name', messageOf(error));
      else failed(error);
    }
  });

  return (
    <Page
      title="New agent"
      description="A name and a memory are enough to begin; everything else has a sensible default."
      width="text"
      above={<BackLink to="/agents">Agents</BackLink>}
    >
      {!admin && (
        <Alert icon={<IconLock size={18} />} color="gray" mb="md" title="Admins make agents">
          Ask an admin of this workspace to make one, or to give you the role.
        </Alert>
      )}
      <form onSubmit={create} noValidate>
        <Stack gap="md">
          <TextInput
            label="Title"
            description="What people call it"
            placeholder="Release bot"
            maxLength={200}
            data-autofocus
            disabled={!admin}
            {...form.getInputProps('title')}
            onChange={(event) => {
              const title = event.currentTarget.value;
              form.setFieldValue('title', title);
              if (!ownName) form.setFieldValue('name', slug(title));
            }}
          />
          <TextInput
            label="Name"
            description="What hosts and commands call it"
            placeholder="release-bot"
            required
            maxLength={64}
            disabled={!admin}
            {...form.getInputProps('name')}
            onChange={(event) => {
              setOwnName(true);
              form.setFieldValue('name', event.currentTarget.value);
            }}
          />
          <Textarea
            label="Description"
            description="What it is for"
            placeholder="Cuts releases and writes the notes"
            autosize
            minRows={2}
            maxLength={2000}
            disabled={!admin}
            {...form.getInputProps('description')}
          />
          <Switch
            label="Procedural memory"
            description="It finds, uses and saves skills. Off, it executes code and hears nothing of skills."
            disabled={!admin}
            {...form.getInputProps('memory', { type: 'checkbox' })}
          />
          <Group justify="flex-end">
            <Button component={Link} to="/agents">
              Cancel
            </Button>
            <Button type="submit" variant="filled" loading={saving} disabled={!admin}>
              Create agent
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}
