/** A skill made from Python: what the code tells is filled in, the rest is asked for. */
import { Input, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeEditor } from '@/components/code';
import { slug } from '@/components/slug';
import { CreateForm, NamedFields } from './CreateForm';
import { type Procedure, ProcedureFields, procedureBody } from './ProcedureFields';
import { readPython } from './python';
import { useCreate, usePlacement } from './useCreate';

export function CodeWay() {
  const [code, setCode] = useState('');
  const [typed, setTyped] = useState<{ name?: string; description?: string; procedure?: Procedure }>({});
  const placement = usePlacement();
  const [place, , whole] = placement;
  const creation = useCreate(code.trim() !== '' || Object.keys(typed).length > 0);

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
    creation.clear();
  };
  const ready = Boolean(code.trim() && name.trim() && description.trim() && whole);
  const save = () => {
    const body = { name: name.trim(), description: description.trim(), procedure: procedureBody(procedure) };
    void creation.create(body, place);
  };

  return (
    <CreateForm ready={ready} save={save} creation={creation} placement={placement}>
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
            creation.clear();
          }}
          height="18rem"
        />
      </Stack>
      <NamedFields
        value={{ name, description }}
        onChange={put}
        about="Lower-case words with hyphens"
        error={creation.error}
      />
      {code.trim() !== '' && (
        <ProcedureFields value={procedure} onChange={(next) => put({ procedure: next })} code={false} />
      )}
    </CreateForm>
  );
}
