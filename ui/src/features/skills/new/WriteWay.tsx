/** A skill written here: name, description, instructions, and a procedure where one is wanted. */
import {
  Button,
  Card,
  Collapse,
  Input,
  Select,
  Stack,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Schemas } from '@/api/client';
import { tagsQuery } from '@/api/queries';
import { ask } from '@/components/feedback';
import { saidOf } from '../info/fields';
import { CreateForm, NamedFields } from './CreateForm';
import { Instructions } from './Instructions';
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
  const [template, setTemplate] = useState<string | null>(null);
  // What stood in the procedure when it was switched off.
  const off = useRef(fields.procedure);
  const placement = usePlacement();
  const [place, , whole] = placement;
  const tags = useQuery(tagsQuery).data?.items.map(({ tag }) => tag) ?? [];
  const started = JSON.stringify(fields) !== JSON.stringify(nothing);
  const creation = useCreate(started);
  const said = saidOf(creation.error);
  const put = (change: Partial<typeof nothing>) => {
    setFields((now) => ({ ...now, ...change }));
    creation.clear();
  };
  const start = async (label: string | null) => {
    const chosen = templates.find((known) => known.label === label);
    const written = fields.instructions.trim() && !templates.some(({ text }) => text === fields.instructions);
    if (chosen && written) {
      const sure = await ask({
        title: 'Replace the instructions?',
        message: 'The template takes the place of what you wrote.',
        confirm: 'Replace',
      });
      if (!sure) return;
    }
    setTemplate(label);
    if (chosen) put({ instructions: chosen.text });
  };
  const ready = Boolean(fields.name.trim() && fields.description.trim() && whole);
  const save = () => void creation.create(bodyOf(fields), place);

  return (
    <CreateForm ready={ready} save={save} creation={creation} placement={placement}>
      <Select
        label="Template"
        description="Something to start from; it fills in the instructions"
        placeholder="Blank"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear' }}
        data={templates.map(({ label }) => label)}
        value={template}
        onChange={(label) => void start(label)}
      />
      <NamedFields
        value={fields}
        onChange={put}
        about="Lower-case words with hyphens, such as monthly-report"
        error={creation.error}
      />
      <Instructions value={fields.instructions} onChange={(instructions) => put({ instructions })} />
      <Switch
        label="It also does something: add a procedure"
        description="Python with typed parameters, run in the sandbox"
        checked={fields.procedure !== null}
        onChange={(event) => {
          if (!event.currentTarget.checked) off.current = fields.procedure;
          put({ procedure: event.currentTarget.checked ? (off.current ?? emptyProcedure()) : null });
        }}
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
        <Button size="xs" variant="subtle" px={0} onClick={() => setMore((now) => !now)} aria-expanded={more}>
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
    </CreateForm>
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
