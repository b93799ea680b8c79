/** What is said when somebody else changed a skill in between: nothing is lost, and the person decides. */
import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Schemas } from '@/api/client';

type Question = {
  skill: Schemas['SkillDetailView'];
  from: number;
  /** What both changed. */
  both: string[];
};

/** Asks whether to save onto the newer revision; false keeps editing. */
export function askStale({ skill, from, both }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (answer: boolean) => {
      resolve(answer);
      modals.close(id);
    };
    const id = modals.open({
      title: 'Somebody else changed this skill',
      onClose: () => resolve(false),
      children: (
        <Stack gap="sm">
          <Text size="sm">
            You began on revision {from}; revision {skill.revision} is current now
            {skill.shown.message ? ` (“${skill.shown.message}”)` : ''}. Nothing of yours is lost, and nothing
            is saved yet.
          </Text>
          <Text size="sm">
            Saving on top makes a new revision with what you changed; what you did not touch stays as it is
            now.
          </Text>
          {both.length > 0 && (
            <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} />}>
              You both changed {both.join(', ')}: there yours would replace theirs. Theirs stays in the
              history.
            </Alert>
          )}
          <Anchor
            size="sm"
            href={`/skills/${skill.id}/history?from=${from}&to=${skill.revision}`}
            target="_blank"
          >
            See what they changed, in a new tab
          </Anchor>
          <Group justify="flex-end" mt="xs">
            <Button onClick={() => done(true)}>Save on top</Button>
            <Button variant="filled" data-autofocus onClick={() => done(false)}>
              Keep editing
            </Button>
          </Group>
        </Stack>
      ),
    });
  });
}
