/** Which parameters a procedure takes: their names, types and defaults, in order. */
import {
  ActionIcon,
  Button,
  Card,
  Checkbox,
  Group,
  Select,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import classes from './code.module.css';
import {
  declarationProblems,
  fieldOf,
  isRequired,
  type Parameter,
  parameterTypes,
  readField,
} from './parameters';

type Props = { parameters: Parameter[]; onChange: (parameters: Parameter[]) => void };

export function Declarations({ parameters, onChange }: Props) {
  const problems = declarationProblems(parameters);
  const put = (place: number, parameter: Parameter) =>
    onChange(parameters.map((old, other) => (other === place ? parameter : old)));
  return (
    <Stack gap="xs">
      {parameters.length === 0 && (
        <Text size="sm" c="dimmed">
          No parameters: every run does the same.
        </Text>
      )}
      {parameters.map((parameter, place) => (
        <Declaration
          key={place}
          place={place}
          parameter={parameter}
          problem={problems[place]}
          onChange={(now) => put(place, now)}
          onRemove={() => onChange(parameters.filter((_, other) => other !== place))}
          onUp={
            place > 0
              ? () => {
                  const next = [...parameters];
                  next.splice(place - 1, 0, ...next.splice(place, 1));
                  onChange(next);
                }
              : undefined
          }
        />
      ))}
      <Group>
        <Button
          size="xs"
          leftSection={<IconPlus size={14} />}
          onClick={() =>
            onChange([...parameters, { name: freeName(parameters), type: 'string', required: true }])
          }
        >
          Add parameter
        </Button>
      </Group>
    </Stack>
  );
}

function freeName(parameters: Parameter[]): string {
  let number = parameters.length + 1;
  while (parameters.some(({ name }) => name === `parameter_${number}`)) number += 1;
  return `parameter_${number}`;
}

type OneProps = {
  place: number;
  parameter: Parameter;
  problem?: string;
  onChange: (parameter: Parameter) => void;
  onRemove: () => void;
  onUp?: () => void;
};

function Declaration({ place, parameter, problem, onChange, onRemove, onUp }: OneProps) {
  const which = `parameter ${place + 1}`;
  const [text, setText] = useState(() => String(fieldOf(parameter.type, parameter.default) ?? ''));
  const read = text === '' ? null : readField(parameter.type, text);
  const setDefault = (now: string, type = parameter.type) => {
    setText(now);
    const value = now === '' ? null : readField(type, now);
    const { default: _, ...rest } = parameter;
    onChange(value && 'value' in value ? { ...rest, type, default: value.value } : { ...rest, type });
  };
  return (
    <Card withBorder padding="sm" radius="md">
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          flex={1}
          label="Name"
          aria-label={`Name of ${which}`}
          classNames={{ input: classes.mono }}
          value={parameter.name}
          error={problem}
          onChange={(event) => onChange({ ...parameter, name: event.currentTarget.value })}
        />
        <Select
          w={110}
          label="Type"
          aria-label={`Type of ${which}`}
          allowDeselect={false}
          data={[...parameterTypes]}
          value={parameter.type}
          onChange={(type) => type && setDefault(text, type)}
        />
      </Group>
      <TextInput
        mt="xs"
        label="Meaning"
        aria-label={`Meaning of ${which}`}
        placeholder="What a caller gives here"
        value={parameter.description ?? ''}
        onChange={(event) => onChange({ ...parameter, description: event.currentTarget.value || null })}
      />
      <TextInput
        mt="xs"
        label="Default"
        aria-label={`Default of ${which}`}
        placeholder="none"
        value={text}
        error={read && 'problem' in read ? read.problem : null}
        onChange={(event) => setDefault(event.currentTarget.value)}
      />
      <Group justify="space-between" mt="sm">
        <Checkbox
          label="Needed"
          aria-label={`${which} is needed`}
          checked={isRequired(parameter)}
          onChange={(event) => onChange({ ...parameter, required: event.currentTarget.checked })}
        />
        <Group gap={2}>
          {onUp && (
            <Tooltip label="Move up">
              <ActionIcon aria-label={`Move ${which} up`} onClick={onUp}>
                <IconArrowUp size={16} />
              </ActionIcon>
            </Tooltip>
          )}
          <Tooltip label="Remove">
            <ActionIcon aria-label={`Remove ${which}`} onClick={onRemove}>
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
    </Card>
  );
}
