/** Choosing among a few things that want a word of explanation each. */
import { Checkbox, Radio, Stack } from '@mantine/core';

type Asked<Word extends string> = {
  label: string;
  description?: string;
  choices: readonly { value: Word; label: string; about: string }[];
};

type OneOfProps<Word extends string> = Asked<Word> & {
  value: string;
  disabled: boolean;
  onChange: (value: string) => void;
};

export function OneOf<Word extends string>(props: OneOfProps<Word>) {
  const { label, description, choices, value, disabled, onChange } = props;
  return (
    <Radio.Group label={label} description={description} value={value} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {choices.map((choice) => (
          <Radio
            key={choice.value}
            value={choice.value}
            label={choice.label}
            description={choice.about}
            disabled={disabled}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

type ManyOfProps<Word extends string> = Asked<Word> & {
  value: string[];
  /** Which cannot be changed. */
  fixed?: (value: Word) => boolean;
  onChange: (values: Word[]) => void;
};

export function ManyOf<Word extends string>(props: ManyOfProps<Word>) {
  const { label, description, choices, value, fixed, onChange } = props;
  return (
    <Checkbox.Group
      label={label}
      description={description}
      value={value}
      onChange={(values) => onChange(values as Word[])}
    >
      <Stack gap="xs" mt="xs">
        {choices.map((choice) => (
          <Checkbox
            key={choice.value}
            value={choice.value}
            label={choice.label}
            description={choice.about}
            disabled={fixed?.(choice.value)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
