/** What a procedure is, for a skill that has none, and the way to its first one. */
import { Button, Code, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { Empty } from '@/components/page';

export function NoProcedure({ onAdd, why }: { onAdd: () => void; why: string | null }) {
  return (
    <Empty
      icon={IconPlayerPlay}
      title="This skill has no procedure"
      actions={
        why ? null : (
          <Button variant="filled" onClick={onAdd}>
            Add a procedure
          </Button>
        )
      }
    >
      <Text inherit>
        A procedure is what a skill <b>does</b>: a function with typed parameters that runs in the sandbox,
        with the same output for the same input. Agents call it instead of writing the code anew each time. It
        stands in <Code>scripts/</Code> of the bundle, and its parameters in <Code>repertoire.yaml</Code>.
      </Text>
      {why && (
        <Text inherit mt="xs">
          {why}
        </Text>
      )}
    </Empty>
  );
}
