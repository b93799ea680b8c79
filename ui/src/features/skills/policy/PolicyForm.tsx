/** A policy as a form. Each field changes its one value in the source. */
import {
  Fieldset,
  JsonInput,
  NumberInput,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { readObject } from '@/components/json';
import classes from './policy.module.css';
import type { Policy } from './source';
import { Validators } from './Validators';

export type Put = (path: (string | number)[], value: unknown) => void;

type Props = { policy: Policy; put: Put; disabled: boolean };

const words = (list: string[]) => (list.length > 0 ? list : undefined);
const text = (value: string) => (value === '' ? undefined : value);

export function PolicyForm({ policy, put, disabled }: Props) {
  const { activation = {} } = policy;
  return (
    <Fieldset disabled={disabled} variant="unstyled">
      <Stack gap="xl">
        <Part title="When it is active" about="Any one of these is enough.">
          <Switch
            label="Whatever the task"
            checked={activation.always === true}
            onChange={(event) => put(['activation', 'always'], event.currentTarget.checked || undefined)}
          />
          <TagsInput
            label="Words in the task"
            description="Active when the task contains one of them, in any case"
            placeholder="deploy, release"
            value={listOf(activation.keywords)}
            onChange={(list) => put(['activation', 'keywords'], words(list))}
          />
          <Textarea
            label="Condition"
            description="A CEL expression over task and context"
            placeholder="context.environment == 'production'"
            autosize
            maxRows={5}
            classNames={{ input: classes.mono }}
            value={activation.when ?? ''}
            onChange={(event) => put(['activation', 'when'], text(event.currentTarget.value))}
          />
        </Part>
        <Part
          title="Tools"
          about="Names such as Read, or patterns such as Bash(git:*), Read(.env), mcp__github__*."
        >
          <TagsInput
            label="Forbidden tools"
            description="Never allowed, whatever another policy says"
            placeholder="Bash(rm:*)"
            value={listOf(policy.forbidden_tools)}
            onChange={(list) => put(['forbidden_tools'], words(list))}
          />
          <Switch
            label="Only certain tools are allowed"
            checked={Array.isArray(policy.allowed_tools)}
            onChange={(event) => put(['allowed_tools'], event.currentTarget.checked ? [] : undefined)}
          />
          {Array.isArray(policy.allowed_tools) && (
            <TagsInput
              label="Allowed tools"
              description={
                policy.allowed_tools.length === 0 ? 'While it is empty, nothing is allowed' : 'No others'
              }
              placeholder="Read"
              value={listOf(policy.allowed_tools)}
              onChange={(list) => put(['allowed_tools'], list)}
            />
          )}
        </Part>
        <Part title="Limits of a run">
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NumberInput
              label="Most steps"
              description="Calls that were allowed"
              placeholder="no limit"
              min={1}
              allowDecimal={false}
              value={policy.max_steps ?? ''}
              onChange={(value) => put(['max_steps'], value === '' ? undefined : Number(value))}
            />
            <TextInput
              label="Longest time"
              description="90s, 5m, 2h, or seconds"
              placeholder="no limit"
              value={String(policy.max_execution_time ?? '')}
              onChange={(event) => {
                const value = event.currentTarget.value.trim();
                put(['max_execution_time'], /^\d+$/.test(value) ? Number(value) : text(value));
              }}
            />
          </SimpleGrid>
        </Part>
        <Part title="Checks on each call" about="All must pass, or the call is denied.">
          <Validators list={policy.validators ?? []} put={put} disabled={disabled} />
        </Part>
        <Part title="What the agent is given">
          <Textarea
            label="Planning"
            description="Added to the planning prompt while it is active"
            autosize
            minRows={2}
            maxRows={10}
            value={policy.planning ?? ''}
            onChange={(event) => put(['planning'], text(event.currentTarget.value))}
          />
          <ContextField value={policy.context} put={put} />
        </Part>
        <Part title="Its place among others">
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NumberInput
              label="Priority"
              description="The greater comes first"
              allowDecimal={false}
              placeholder="0"
              value={policy.priority ?? ''}
              onChange={(value) => put(['priority'], value === '' ? undefined : Number(value))}
            />
            <TextInput
              label="Group"
              description="A word, such as security"
              value={policy.scope ?? ''}
              onChange={(event) => put(['scope'], text(event.currentTarget.value))}
            />
          </SimpleGrid>
        </Part>
      </Stack>
    </Fieldset>
  );
}

/** The source may hold anything; a list that is none is shown as an empty one. */
function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function ContextField({ value, put }: { value: Policy['context']; put: Put }) {
  const written = value && Object.keys(value).length > 0 ? JSON.stringify(value, null, 2) : '';
  const [shown, setShown] = useState(written);
  const read = readObject(shown);
  const means = 'value' in read ? JSON.stringify(read.value) : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what changed elsewhere replaces what is typed here
  useEffect(() => {
    if (means !== JSON.stringify(value ?? {})) setShown(written);
  }, [written]);
  return (
    <JsonInput
      label="Context"
      description="Values put into the agent's context, as JSON"
      placeholder='{"review_required": true}'
      autosize
      minRows={2}
      maxRows={10}
      value={shown}
      error={'problem' in read ? read.problem : null}
      onChange={(now) => {
        setShown(now);
        const next = readObject(now);
        if ('value' in next) put(['context'], Object.keys(next.value).length > 0 ? next.value : undefined);
      }}
    />
  );
}

function Part({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h6">
        {title}
      </Title>
      {about && (
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      )}
      <Stack gap="sm" mt="xs">
        {children}
      </Stack>
    </section>
  );
}
