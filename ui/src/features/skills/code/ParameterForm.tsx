/** The parameters of a procedure as a form that fits their types, or as the JSON they come to. */
import { Group, JsonInput, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { readObject } from '@/components/json';
import { type Fields, fieldsOf, isRequired, type Parameter, readFields } from './parameters';

type FormProps = {
  parameters: Parameter[];
  fields: Fields;
  onChange: (fields: Fields) => void;
  /** Problems are shown once somebody wanted to run it. */
  problems: Record<string, string>;
};

export function ParameterForm({ parameters, fields, onChange, problems }: FormProps) {
  // What stands in the field as JSON, and the fields it came to.
  const [typed, setTyped] = useState<{ text: string; came: Fields } | null>(null);
  if (parameters.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        It takes no parameters.
      </Text>
    );
  }
  const written = () => JSON.stringify(readFields(parameters, fields).values, null, 2);
  // Fields that were filled from elsewhere, as by a former run, replace what was typed.
  const json = typed && (typed.came === fields ? typed.text : written());
  const read = json === null ? null : readObject(json);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          Parameters
        </Text>
        <Switch
          size="xs"
          label="As JSON"
          checked={json !== null}
          disabled={read !== null && 'problem' in read}
          onChange={(event) =>
            setTyped(event.currentTarget.checked ? { text: written(), came: fields } : null)
          }
        />
      </Group>
      {json !== null ? (
        <JsonInput
          label="Parameters as JSON"
          autosize
          minRows={5}
          maxRows={16}
          value={json}
          error={read && 'problem' in read ? read.problem : (Object.entries(problems)[0]?.join(': ') ?? null)}
          onChange={(text) => {
            const now = readObject(text);
            const came = 'value' in now ? fieldsOf(parameters, now.value) : fields;
            setTyped({ text, came });
            if (came !== fields) onChange(came);
          }}
        />
      ) : (
        parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            value={fields[parameter.name]}
            error={problems[parameter.name]}
            onChange={(value) => {
              const next = { ...fields };
              if (value === undefined) delete next[parameter.name];
              else next[parameter.name] = value;
              onChange(next);
            }}
          />
        ))
      )}
    </Stack>
  );
}

type FieldProps = {
  parameter: Parameter;
  value: string | boolean | undefined;
  error?: string;
  onChange: (value: string | boolean | undefined) => void;
};

function ParameterField({ parameter, value, error, onChange }: FieldProps) {
  const { name, type, description } = parameter;
  const common = {
    label: name,
    description: description || undefined,
    required: isRequired(parameter),
    withAsterisk: isRequired(parameter),
    error,
  };
  const text = typeof value === 'boolean' ? String(value) : (value ?? '');
  if (type === 'boolean') {
    if (isRequired(parameter) || typeof parameter.default === 'boolean') {
      return (
        <Switch
          label={name}
          description={description || undefined}
          error={error}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    }
    return (
      <Select
        {...common}
        clearable
        clearButtonProps={{ 'aria-label': `Clear ${name}` }}
        placeholder="Left out"
        data={['true', 'false']}
        value={text || null}
        onChange={(chosen) => onChange(chosen ?? undefined)}
      />
    );
  }
  if (type === 'integer' || type === 'number') {
    return (
      <TextInput
        {...common}
        inputMode={type === 'integer' ? 'numeric' : 'decimal'}
        placeholder={type === 'integer' ? 'a whole number' : 'a number'}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
      />
    );
  }
  if (type === 'string') {
    return (
      <Textarea
        {...common}
        autosize
        minRows={1}
        maxRows={8}
        placeholder="text"
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <JsonInput
      {...common}
      autosize
      minRows={2}
      maxRows={10}
      placeholder={{ array: '["one", "two"]', object: '{"name": "value"}' }[type] ?? 'any JSON value'}
      value={text}
      onChange={(now) => onChange(now || undefined)}
    />
  );
}
