/** The Markdown of a new skill, with its preview. */
import { Group, Input, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeEditor } from '@/components/code';
import { Preview } from '../content/Preview';

export function Instructions({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [view, setView] = useState('write');
  return (
    <Stack gap={4}>
      <Group justify="space-between" align="flex-end">
        <div>
          <Input.Label labelElement="div">Instructions</Input.Label>
          <Text size="xs" c="dimmed">
            Markdown: how it is done, step by step
          </Text>
        </div>
        <SegmentedControl
          size="xs"
          aria-label="View of the instructions"
          value={view}
          onChange={setView}
          data={[
            { value: 'write', label: 'Write' },
            { value: 'read', label: 'Preview' },
          ]}
        />
      </Group>
      {view === 'write' ? (
        <CodeEditor
          label="Instructions"
          language="markdown"
          value={value}
          onChange={onChange}
          height="16rem"
        />
      ) : (
        <Preview text={value || '*Nothing written yet.*'} />
      )}
    </Stack>
  );
}
