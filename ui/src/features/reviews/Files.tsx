/** Every file of what is decided about, as it is stored: what is approved is these, not how one of them reads. */
import { Accordion, Badge, Box, Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { CodeEditor, languageOf, Markdown } from '@/components/code';
import { Failure } from '@/components/page';
import { bytes, counted } from '@/components/time';
import { downloadFrom, fileAddress } from '@/features/skills/download';
import { inOrder, openAtFirst } from './fileOrder';
import { skillFileQuery } from './files';
import classes from './review.module.css';
import { type Detail, Section } from './SkillContent';

type File = Schemas['FileView'];

/** `codeFirst` is for where the talk was of code. */
export function Files({ skill, codeFirst = false }: { skill: Detail; codeFirst?: boolean }) {
  const runs = skill.procedure?.file ?? null;
  const files = inOrder(skill.files, codeFirst ? runs : null);
  const [open, setOpen] = useState(() => openAtFirst(files, skill));
  const all = open.length === files.length;
  return (
    <Section
      title="Files"
      aside={
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {counted(files.length, 'file')}, {bytes(files.reduce((sum, { size }) => sum + size, 0))}
          </Text>
          {files.length > 1 && (
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() => setOpen(all ? [] : files.map(({ path }) => path))}
            >
              {all ? 'Fold all' : 'Unfold all'}
            </Button>
          )}
        </Group>
      }
    >
      <Accordion
        multiple
        value={open}
        onChange={setOpen}
        variant="contained"
        order={4}
        chevronPosition="left"
        classNames={{ content: classes.fileContent }}
      >
        {files.map((file) => (
          <Accordion.Item key={file.path} value={file.path}>
            <Accordion.Control>
              <Head file={file} runs={file.path === runs ? (skill.procedure ?? null) : null} />
            </Accordion.Control>
            <Accordion.Panel>
              {open.includes(file.path) && <Body skill={skill} file={file} />}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Section>
  );
}

type HeadProps = { file: File; runs: Schemas['ProcedureView'] | null };

function Head({ file, runs }: HeadProps) {
  return (
    <Group gap="2px 8px">
      <Text size="sm" ff="monospace" className={classes.title}>
        {file.path}
      </Text>
      {runs && <Badge color="blue">{runs.function ? `runs ${runs.function}` : 'runs'}</Badge>}
      {file.executable && <Badge color="yellow">executable</Badge>}
      <Text size="xs" c="dimmed" className={classes.number}>
        {bytes(file.size)}
        <Text span inherit ff="monospace" title={file.digest} visibleFrom="sm">
          {' · '}
          {file.digest.replace(/^sha256:/, '').slice(0, 12)}
        </Text>
      </Text>
      {file.description && (
        <Text size="xs" c="dimmed" w="100%">
          {file.description}
        </Text>
      )}
    </Group>
  );
}

function Body({ skill, file }: { skill: Detail; file: File }) {
  const [view, setView] = useState('source');
  const revision = skill.shown.number;
  const text = useQuery(skillFileQuery(skill.id, file.path, revision));
  const language = languageOf(file.path);
  if (text.error) return <Failure error={text.error} retry={() => void text.refetch()} />;
  if (text.data === undefined) return <Skeleton height={120} radius="md" />;
  if (text.data === null)
    return (
      <Group gap="sm">
        <Badge color="yellow">not shown</Badge>
        <Text size="sm">Not text: {file.media_type}.</Text>
        <Button
          size="compact-sm"
          leftSection={<IconDownload size={14} />}
          onClick={() =>
            void downloadFrom(
              fileAddress(skill.id, file.path, revision),
              file.path.split('/').pop() ?? file.path,
            )
          }
        >
          Download
        </Button>
      </Group>
    );
  return (
    <Stack gap="xs">
      {language === 'markdown' && (
        <SegmentedControl
          size="xs"
          className={classes.view}
          aria-label={`View of ${file.path}`}
          value={view}
          onChange={setView}
          data={[
            { value: 'source', label: 'Source' },
            { value: 'preview', label: 'Preview' },
          ]}
        />
      )}
      {view === 'preview' ? (
        <Box className={classes.reading}>
          <Markdown>{file.path === 'SKILL.md' ? skill.instructions : text.data}</Markdown>
        </Box>
      ) : (
        <CodeEditor
          value={text.data}
          language={language}
          readOnly
          label={file.path === skill.procedure?.file ? `Code of ${skill.name}` : file.path}
          maxHeight="26rem"
        />
      )}
    </Stack>
  );
}
