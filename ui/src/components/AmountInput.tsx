/** A number that may be half typed: what stands in the field is the person's, what is told is a whole amount or none. */
import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

type AmountInputProps = Omit<NumberInputProps, 'value' | 'onChange' | 'defaultValue'> & {
  value: number | null;
  onChange: (value: number | null) => void;
  /** How many of what is told make one of what is typed: 1000 for milliseconds as seconds. */
  per?: number;
};

export function AmountInput({ value, onChange, per = 1, ...props }: AmountInputProps) {
  const [typed, setTyped] = useState<string | number>(value === null ? '' : value / per);
  const means = typed === '' ? null : Math.round(Number(typed) * per);
  const [seen, setSeen] = useState(value);
  // What comes from elsewhere, such as a discarded change, replaces what was typed.
  if (value !== seen) {
    setSeen(value);
    if (means !== value) setTyped(value === null ? '' : value / per);
  }
  return (
    <NumberInput
      decimalScale={per === 1 ? 0 : 6}
      allowNegative={false}
      value={typed}
      onChange={(next) => {
        setTyped(next);
        onChange(next === '' ? null : Math.round(Number(next) * per));
      }}
      {...props}
    />
  );
}
