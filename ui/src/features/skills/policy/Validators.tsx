/** The checks of a policy, each of one kind. */
import {
  ActionIcon,
  Button,
  Card,
  Group,
  Menu,
  NumberInput,
  Stack,
  TagsInput,
  Text,
  Textarea,
  Tooltip,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { Put } from './PolicyForm';
import classes from './policy.module.css';
import { type Validator, type ValidatorKind, validatorKinds } from './source';

const kinds: Record<ValidatorKind, { label: string; about: string; start: unknown; example: string }> = {
  argument_deny: {
    label: 'No argument matches',
    about: 'A regular expression that no key and no value in the arguments may match',
    start: 'AKIA[0-9A-Z]{16}',
    example: 'AKIA[0-9A-Z]{16}',
  },
  path_prefix: {
    label: 'Paths lie in',
    about: 'Every path in the arguments lies in one of these folders',
    start: [],
    example: '/srv/shop',
  },
  host_allow: {
    label: 'URLs name',
    about: 'Every URL in the arguments names one of these hosts',
    start: [],
    example: '*.example.org',
  },
  argument_size: {
    label: 'Arguments are at most',
    about: 'Bytes of all arguments as JSON',
    start: 100_000,
    example: '100000',
  },
  expression: {
    label: 'Expression is true',
    about: 'CEL over tool, args and context',
    start: "tool != 'Bash' || !has(args.command) || !args.command.contains('git push')",
    example: "tool != 'Bash'",
  },
};

type Props = { list: Validator[]; put: Put; disabled: boolean };

export function Validators({ list, put, disabled }: Props) {
  const without = (place: number) => {
    const left = list.filter((_, other) => other !== place);
    put(['validators'], left.length > 0 ? left : undefined);
  };
  return (
    <Stack gap="xs">
      {list.map((validator, place) => (
        <Check
          key={place}
          place={place}
          validator={validator}
          onChange={(kind, value) => put(['validators', place, kind], value)}
          onRemove={disabled ? undefined : () => without(place)}
        />
      ))}
      {list.length === 0 && disabled && (
        <Text size="sm" c="dimmed">
          None.
        </Text>
      )}
      {!disabled && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button size="xs" leftSection={<IconPlus size={14} />} style={{ alignSelf: 'flex-start' }}>
              Add check
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {validatorKinds.map((kind) => (
              <Menu.Item
                key={kind}
                onClick={() => put(['validators'], [...list, { [kind]: kinds[kind].start }])}
              >
                <Text size="sm">{kinds[kind].label}</Text>
                <Text size="xs" c="dimmed">
                  {kinds[kind].about}
                </Text>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </Stack>
  );
}

type CheckProps = {
  place: number;
  validator: Validator;
  onChange: (kind: ValidatorKind, value: unknown) => void;
  onRemove?: () => void;
};

function Check({ place, validator, onChange, onRemove }: CheckProps) {
  const kind = validatorKinds.find((known) => validator && known in validator);
  const known = kind ? kinds[kind] : null;
  const value = kind ? validator[kind] : undefined;
  const label = `${place + 1}. ${known?.label ?? 'A check this form does not know'}`;
  const common = { label, description: known?.about, placeholder: known?.example };
  return (
    <Card withBorder padding="sm" radius="md">
      <Group align="flex-start" wrap="nowrap" gap="xs">
        <div style={{ flex: 1, minWidth: 0 }}>
          {kind === 'path_prefix' || kind === 'host_allow' ? (
            <TagsInput
              {...common}
              value={Array.isArray(value) ? value.map(String) : []}
              onChange={(list) => onChange(kind, list)}
            />
          ) : kind === 'argument_size' ? (
            <NumberInput
              {...common}
              min={1}
              allowDecimal={false}
              value={typeof value === 'number' ? value : ''}
              onChange={(now) => onChange(kind, Number(now) || 1)}
            />
          ) : kind ? (
            <Textarea
              {...common}
              autosize
              classNames={{ input: classes.mono }}
              value={String(value ?? '')}
              onChange={(event) => onChange(kind, event.currentTarget.value)}
            />
          ) : (
            <Text size="sm">{label}; see the source.</Text>
          )}
        </div>
        {onRemove && (
          <Tooltip label="Remove">
            <ActionIcon aria-label={`Remove check ${place + 1}`} onClick={onRemove}>
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
    </Card>
  );
}
