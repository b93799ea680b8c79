/** A skill made from Python: what the code tells is filled in, the rest is asked for. */
import { Button, Group, Input, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useState } from 'react';
import { messageOf } from '@/api/client';
import { CodeEditor } from '@/components/code';
import { slug } from '@/components/slug';
import { saidOf } from '../info/fields';
import { Placement, Refused } from './Placement';
import { type Procedure, ProcedureFields, procedureBody } from './ProcedureFields';
import { readPython } from './python';
import { useCreate, usePlacement } from './useCreate';

export function CodeWay() {
  const [code, setCode] = useState('');
  const [typed, setTyped] = useState<{ name?: string; description?: string; procedure?: Procedure }>({});
  const [placement, setPlacement, whole] = usePlacement();
  const { create, busy, error, taken, clear } = useCreate(code.trim() !== '');
  const said = saidOf(error);

  // What was typed wins over what is read from the code.
  const read = readPython(code);
  const name = typed.name ?? (read ? slug(read.function) : '');
  const description = typed.description ?? read?.description ?? '';
  const procedure = {
    ...(typed.procedure ?? { function: read?.function ?? '', parameters: read?.parameters ?? [] }),
    code,
  };
  const put = (change: typeof typed) => {
    setTyped((now) => ({ ...now, ...change }));
    clear();
  };
  const ready = Boolean(code.trim() && name.trim() && description.trim() && whole);
  const save = () => {
    if (!ready || busy) return;
    const body = { name: name.trim(), description: description.trim(), procedure: procedureBody(procedure) };
    void create(body, placement);
  };
  useHotkeys([['mod+S', save]], [], true);

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Stack>
        <Stack gap={4}>
          <Input.Label labelElement="div">Python</Input.Label>
          <Text size="xs" c="dimmed">
            Paste a function. Its name, parameters and first words are read from it; same input, same output.
          </Text>
          <CodeEditor
            label="Python"
            language="python"
            value={code}
            onChange={(text) => {
              setCode(text);
              clear();
            }}
            height="18rem"
          />
        </Stack>
        <TextInput
          label="Name"
          description="Lower-case words with hyphens"
          required
          maxLength={64}
          value={name}
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
          value={description}
          onChange={(event) => put({ description: event.currentTarget.value })}
          error={said.description}
        />
        {code.trim() !== '' && (
          <ProcedureFields value={procedure} onChange={(next) => put({ procedure: next })} code={false} />
        )}
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
