/** The code of a procedure and the parameters it takes. */
import { ActionIcon, Button, Checkbox, Group, Input, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { Schemas } from '@/api/client';
import { CodeEditor } from '@/components/code';

export type Parameter = {
  name: string;
  type: string;
  required: boolean;
  description: string;
  default?: unknown;
};
export type Procedure = { code: string; function: string; parameters: Parameter[] };

const types = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'any'];

export function emptyProcedure(): Procedure {
  return {
    code: 'def run(text: str) -> dict:\n    return {"length": len(text)}\n',
    function: 'run',
    parameters: [{ name: 'text', type: 'string', required: true, description: '' }],
  };
}

export function procedureBody({
  code,
  function: called,
  parameters,
}: Procedure): Schemas['ProcedureRequest'] {
  return {
    language: 'python',
    code,
    function: called.trim() || undefined,
    parameters: parameters.map(({ description, required, default: value, ...rest }) => ({
      ...rest,
      ...(value === undefined ? { required } : { default: value }),
      description: description.trim() || undefined,
    })),
  };
}

type Props = { value: Procedure; onChange: (procedure: Procedure) => void; code?: boolean };

export function ProcedureFields({ value, onChange, code = true }: Props) {
  const set = (at: number, change: Partial<Parameter>) =>
    onChange({
      ...value,
      parameters: value.parameters.map((parameter, index) =>
        index === at ? { ...parameter, ...change } : parameter,
      ),
    });
  return (
    <Stack gap="sm">
      {code && (
        <CodeEditor
          label="Code"
          language="python"
          value={value.code}
          onChange={(text) => onChange({ ...value, code: text })}
          height="14rem"
        />
      )}
      <TextInput
        label="Function to call"
        description="Without one the file runs as a script"
        value={value.function}
        onChange={(event) => onChange({ ...value, function: event.currentTarget.value })}
      />
      <Input.Label labelElement="div">Parameters</Input.Label>
      {value.parameters.map((parameter, at) => (
        <Group key={at} gap="xs" align="flex-end">
          <TextInput
            flex="1 1 8rem"
            label="Name"
            value={parameter.name}
            onChange={(event) => set(at, { name: event.currentTarget.value })}
          />
          <Select
            w={112}
            label="Type"
            allowDeselect={false}
            data={types}
            value={parameter.type}
            onChange={(type) => type && set(at, { type, default: undefined, required: true })}
          />
          <TextInput
            flex="2 1 10rem"
            label="Meaning"
            value={parameter.description}
            onChange={(event) => set(at, { description: event.currentTarget.value })}
          />
          {parameter.default === undefined ? (
            <Checkbox
              label="Required"
              pb={9}
              checked={parameter.required}
              onChange={(event) => set(at, { required: event.currentTarget.checked })}
            />
          ) : (
            <Text size="sm" c="dimmed" pb={8}>
              default {JSON.stringify(parameter.default)}
            </Text>
          )}
          <ActionIcon
            mb={4}
            aria-label={`Remove parameter ${parameter.name || at + 1}`}
            onClick={() =>
              onChange({ ...value, parameters: value.parameters.filter((_, index) => index !== at) })
            }
          >
            <IconX size={16} />
          </ActionIcon>
        </Group>
      ))}
      <div>
        <Button
          size="xs"
          leftSection={<IconPlus size={14} />}
          onClick={() =>
            onChange({
              ...value,
              parameters: [
                ...value.parameters,
                { name: '', type: 'string', required: true, description: '' },
              ],
            })
          }
        >
          Add a parameter
        </Button>
      </div>
    </Stack>
  );
}
