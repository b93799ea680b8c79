import { Button, type ButtonProps, Group } from '@mantine/core';

type FormButtonsProps = ButtonProps & { onCancel: () => void };

/** How a form in a dialog ends: the way out, and the button that sends it, which takes the other properties. */
export function FormButtons({ onCancel, mt, ...submit }: FormButtonsProps) {
  return (
    <Group justify="flex-end" mt={mt}>
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" variant="filled" {...submit} />
    </Group>
  );
}
