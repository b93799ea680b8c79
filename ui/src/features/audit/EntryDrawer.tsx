import { Button, Drawer, Stack, Text } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { Copyable } from '@/components/Copyable';
import type { Names } from '@/components/names';
import { moment } from '@/components/time';
import type { AuditSearch } from '@/router';
import { SubjectLink } from './SubjectLink';
import { type Entry, sentence } from './sentences';

type EntryDrawerProps = {
  entry: Entry | undefined;
  names: Names;
  close: () => void;
  narrow: (part: Partial<AuditSearch>) => void;
};

/** One entry whole: the sentence, its links in the chain, and the record as it stands. */
export function EntryDrawer({ entry, names, close, narrow }: EntryDrawerProps) {
  const said = entry && sentence(entry, names);
  return (
    <Drawer
      opened={entry !== undefined}
      onClose={close}
      position="right"
      size="lg"
      title={entry ? `Entry ${entry.sequence}` : ''}
    >
      {entry && said && (
        <Stack gap="md">
          <div>
            <Text component="div">
              <Text span inherit fw={600}>
                {said.who}
              </Text>{' '}
              {said.did} <SubjectLink said={said} />
              {said.through && ` through ${said.through}`}
            </Text>
            <Text size="sm" c="dimmed">
              {moment(entry.at)}
              {said.more && `, ${said.more}`}
            </Text>
          </div>
          <div>
            <Button
              size="xs"
              leftSection={<IconFilter size={15} />}
              onClick={() =>
                narrow({
                  subject: entry.subject_id,
                  kind: entry.subject_kind,
                  verb: undefined,
                  user: undefined,
                  entry: undefined,
                })
              }
            >
              All entries about this {entry.subject_kind.replace('_', ' ')}
            </Button>
          </div>
          <Copyable label="Hash of this entry" text={entry.hash} />
          <Copyable label="Hash of the entry before it" text={entry.previous} />
          <Copyable label="Record" text={JSON.stringify(entry, null, 2)} />
        </Stack>
      )}
    </Drawer>
  );
}
