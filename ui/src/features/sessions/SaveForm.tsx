/** Asks for what saving a skill needs and was not said. */
import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { CodeEditor } from '@/components/code';
import { FormButtons } from '@/components/FormButtons';

export type ToSave = { name: string; description: string; code: string };

type FormProps = { start: ToSave; onClose: () => void; onSave: (skill: ToSave) => void };
type SaveProps = Omit<FormProps, 'start'> & { start: ToSave | null };

/** Open while there is something to save. */
export function SaveForm({ start, onClose, onSave }: SaveProps) {
  // It stands still while it goes away.
  const last = useRef(start);
  if (start) last.current = start;
  return (
    <Modal opened={start !== null} onClose={onClose} title="Save as a skill" size="lg">
      {last.current && <Form start={last.current} onClose={onClose} onSave={onSave} />}
    </Modal>
  );
}

function Form({ start, onClose, onSave }: FormProps) {
  const [skill, setSkill] = useState(start);
  const whole = skill.name.trim() && skill.description.trim() && skill.code.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (whole) onSave(skill);
      }}
    >
      <Stack gap="sm">
        <TextInput
          data-autofocus
          label="Name"
          placeholder="compound_interest"
          description="One word; a function of this name is what runs"
          required
          value={skill.name}
          onChange={(event) => setSkill({ ...skill, name: event.currentTarget.value })}
        />
        <TextInput
          label="Description"
          placeholder="Calculates compound interest for a principal, a rate and a time"
          description="What it does and when to use it: skills are found by this"
          required
          value={skill.description}
          onChange={(event) => setSkill({ ...skill, description: event.currentTarget.value })}
        />
        <div>
          <Text size="sm" fw={500} mb={4}>
            Code
          </Text>
          <CodeEditor
            value={skill.code}
            onChange={(code) => setSkill((now) => ({ ...now, code }))}
            language="python"
            label="Code of the skill"
            height="14rem"
          />
          <Text size="xs" c="dimmed" mt={4}>
            Parameters are read from the function’s signature and docstring.
          </Text>
        </div>
      </Stack>
      <FormButtons mt="md" onCancel={onClose} disabled={!whole}>
        Save skill
      </FormButtons>
    </form>
  );
}
