/** One file: text in the editor, Markdown with its preview beside it, anything else as what it is. */
import { Badge, Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconFileUnknown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { CodeEditor, languageOf, type Mark } from '@/components/code';
import { Empty, Failure } from '@/components/page';
import { saveAs } from '@/components/saveAs';
import { bytes, counted } from '@/components/time';
import type { Skill } from '../useSkill';
import { bytesQuery } from './bytes';
import classes from './content.module.css';
import { type Draft, type Entry, write } from './draft';
import { mediaType } from './media';
import { Preview } from './Preview';
import { asLines, textOf } from './text';

type Props = {
  skill: Skill;
  entry: Entry;
  locked: boolean;
  marks: Mark[];
  jump: { line: number } | null;
  update: (step: (draft: Draft) => Draft) => void;
};

export function FilePane(props: Props) {
  const { skill, entry } = props;
  const stored = useQuery({
    ...bytesQuery(skill.id, skill.revision, entry.from ?? { path: entry.path, digest: '' }),
    enabled: entry.from !== null,
  });
  // Until another revision is read the former one stays, and with it the editor, its caret and its undo history.
  const last = useRef<Uint8Array>(undefined);
  if (stored.data) last.current = stored.data;
  const data = entry.from ? (stored.data ?? last.current) : undefined;
  const original = useMemo(() => (data ? textOf(data) : null), [data]);
  // What is written on a former revision would take the newer one back.
  const settled = !entry.from || entry.content !== undefined || Boolean(stored.data);
  if (!settled && stored.error) {
    return <Failure error={stored.error} retry={() => void stored.refetch()} />;
  }
  if (!settled && !data) return <Skeleton height={560} radius="md" />;

  const content = entry.content ?? original ?? data ?? '';
  const text = typeof content === 'string' ? content : textOf(content);
  if (text === null) return <Binary entry={entry} content={content as Uint8Array} />;
  return <TextPane {...props} held={!settled} text={asLines(text)} original={original} />;
}

function TextPane({
  entry,
  locked,
  marks,
  jump,
  update,
  held,
  text,
  original,
}: Props & { held: boolean; text: string; original: string | null }) {
  const language = languageOf(entry.path);
  const narrow = useMediaQuery('(max-width: 75em)', false, { getInitialValueInEffect: false });
  const [chosen, setView] = useState<string | null>(null);
  const readable = language === 'markdown';
  const view = !readable ? 'write' : (chosen ?? (locked ? 'read' : narrow ? 'write' : 'both'));
  return (
    <Stack gap="xs" miw={0}>
      <Group justify="space-between" mih={30} wrap="nowrap">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <Text size="sm" fw={550} truncate>
            {entry.path}
          </Text>
          {marks.length > 0 && (
            <Badge color={marks.some(({ level }) => level === 'error') ? 'red' : 'yellow'} flex="none">
              {counted(marks.length, 'finding')}
            </Badge>
          )}
        </Group>
        {readable && (
          <SegmentedControl
            size="xs"
            aria-label="View"
            value={view}
            onChange={setView}
            data={[
              { value: 'write', label: locked ? 'Source' : 'Write' },
              ...(narrow ? [] : [{ value: 'both', label: 'Both' }]),
              { value: 'read', label: 'Preview' },
            ]}
          />
        )}
      </Group>
      <div className={classes.panes} data-split={view === 'both' || undefined}>
        {view !== 'read' && (
          <CodeEditor
            label={entry.path}
            language={language}
            value={text}
            readOnly={locked || held}
            onChange={
              locked ? undefined : (typed) => update((draft) => write(draft, entry.key, typed, original))
            }
            marks={marks}
            jump={jump}
            height="32rem"
          />
        )}
        {view !== 'write' && <Preview text={text} />}
      </div>
    </Stack>
  );
}

function Binary({ entry, content }: { entry: Entry; content: Uint8Array }) {
  const type = mediaType(entry);
  const address = useAddress(content, type);
  const [broken, setBroken] = useState(false);
  return (
    <Stack gap="xs">
      <Text size="sm" fw={550} mih={30}>
        {entry.path}
      </Text>
      {type.startsWith('image/') && address && !broken && (
        <img src={address} alt={entry.path} className={classes.picture} onError={() => setBroken(true)} />
      )}
      <Empty
        icon={IconFileUnknown}
        title="Not a text"
        actions={
          <Button
            onClick={() =>
              saveAs(new Blob([new Uint8Array(content)], { type }), entry.path.split('/').pop() ?? entry.path)
            }
          >
            Download
          </Button>
        }
      >
        {bytes(content.length)} of {type}. To change it, upload another file with the same name.
      </Empty>
    </Stack>
  );
}

function useAddress(content: Uint8Array, type: string): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([new Uint8Array(content)], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  return address;
}
