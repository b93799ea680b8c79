/** A skill written here: name, description, instructions, and a procedure where one is wanted. */
import {
  Button,
  Card,
  Collapse,
  Group,
  Input,
  Select,
  Stack,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf, type Schemas } from '@/api/client';
import { tagsQuery } from '@/api/queries';
import { saidOf } from '../info/fields';
import { Instructions } from './Instructions';
import { Placement, Refused } from './Placement';
import { emptyProcedure, ProcedureFields, procedureBody } from './ProcedureFields';
import { templates } from './templates';
import { useCreate, usePlacement } from './useCreate';

const nothing = {
  name: '',
  title: '',
  description: '',
  instructions: '',
  tags: [] as string[],
  prompts: '',
  procedure: null as ReturnType<typeof emptyProcedure> | null,
};

export function WriteWay() {
  const [fields, setFields] = useState(nothing);
  const [more, setMore] = useState(false);
  const [placement, setPlacement, whole] = usePlacement();
  const tags = useQuery(tagsQuery).data?.items.map(({ tag }) => tag) ?? [];
  const started = JSON.stringify(fields) !== JSON.stringify(nothing);
  const { create, busy, error, taken, clear } = useCreate(started);
  const said = saidOf(error);
  const put = (change: Partial<typeof nothing>) => {
    setFields((now) => ({ ...now, ...change }));
    clear();
  };
  const ready = Boolean(fields.name.trim() && fields.description.trim() && whole);
  const save = () => {
    if (ready && !busy) void create(bodyOf(fields), placement);
  };
  useHotkeys([['mod+S', save]], [], true);

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Stack gap="md">
        <Select
          label="Template"
          description="Something to start from; it fills in the instructions"
          placeholder="Blank"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear' }}
          data={templates.map(({ label }) => label)}
          onChange={(label) => {
            const template = templates.find((known) => known.label === label);
            if (template) put({ instructions: template.text });
          }}
        />
        <TextInput
          label="Name"
          description="Lower-case words with hyphens, such as monthly-report"
          required
          maxLength={64}
          value={fields.name}
          onChange={(event) => put({ name: event.currentTarget.value })}
          error={said.name ? messageOf(new Error(said.name)) : null}
        />
        <Textarea
          label="Description"
          description="What it does and when to use it. This is what a model decides by."
          required
          rows={3}
          resize="vertical"
          maxLength={1024}
          value={fields.description}
          onChange={(event) => put({ description: event.currentTarget.value })}
          error={said.description}
        />
        <Instructions value={fields.instructions} onChange={(instructions) => put({ instructions })} />
        <Switch
          label="It also does something: add a procedure"
          description="Python with typed parameters, run in the sandbox"
          checked={fields.procedure !== null}
          onChange={(event) => put({ procedure: event.currentTarget.checked ? emptyProcedure() : null })}
        />
        {fields.procedure && (
          <Card withBorder>
            <Title order={2} size="h5" mb="sm">
              Procedure
            </Title>
            <ProcedureFields value={fields.procedure} onChange={(procedure) => put({ procedure })} />
          </Card>
        )}
        <Input.Wrapper>
          <Button
            size="xs"
            variant="subtle"
            px={0}
            onClick={() => setMore((now) => !now)}
            aria-expanded={more}
          >
            {more ? 'Fewer details' : 'More details: title, tags, example prompts'}
          </Button>
        </Input.Wrapper>
        <Collapse expanded={more}>
          <Stack>
            <TextInput
              label="Title"
              placeholder={fields.name || 'Monthly report'}
              maxLength={255}
              value={fields.title}
              onChange={(event) => put({ title: event.currentTarget.value })}
            />
            <TagsInput
              label="Tags"
              data={tags}
              value={fields.tags}
              onChange={(value) => put({ tags: value })}
              error={said.tags}
            />
            <Textarea
              label="Example prompts"
              description="Requests it serves, one per line. Search finds the skill by them."
              rows={3}
              resize="vertical"
              value={fields.prompts}
              onChange={(event) => put({ prompts: event.currentTarget.value })}
            />
          </Stack>
        </Collapse>
        <Placement value={placement} onChange={setPlacement} />
        <Refused error={error} taken={taken} />
        <Group justify="flex-end">
          <Button type="submit" variant="filled" loading={busy} disabled={!ready}>
            Create skill
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function bodyOf(fields: typeof nothing): Schemas['CreateSkillRequest'] {
  const prompts = fields.prompts
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return {
    name: fields.name.trim(),
    title: fields.title.trim() || undefined,
    description: fields.description.trim(),
    instructions: fields.instructions,
    tags: fields.tags.length ? fields.tags : undefined,
    example_prompts: prompts.length ? prompts : undefined,
    procedure: fields.procedure ? procedureBody(fields.procedure) : undefined,
  };
}
