/** What comes of an execution: its output as it is written, then its result, error, files and what it used. */
import { ActionIcon, Alert, Badge, Box, Code, CopyButton, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy, IconDownload, IconGauge } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { fetchRaw } from '@/api/client';
import { failed } from '@/components/feedback';
import { Failure } from '@/components/page';
import { saveAs } from '@/components/saveAs';
import { bytes, duration } from '@/components/time';

import type { Outcome as Came, Chunk, Execution } from './execution';
import classes from './output.module.css';
import { errorWords, limitWords } from './words';

const phases: Record<string, { label: string; color: string }> = {
  waiting: { label: 'Waiting for its turn', color: 'gray' },
  running: { label: 'Running', color: 'blue' },
  stopped: { label: 'Stopped', color: 'gray' },
  succeeded: { label: 'Succeeded', color: 'green' },
  failed: { label: 'Failed', color: 'red' },
};

export function Outcome({ execution }: { execution: Execution }) {
  const { phase, outcome, problem } = execution;
  if (phase === 'idle') return null;
  if (phase === 'refused') return <Failure error={problem} />;
  const shown = phases[outcome ? outcome.ran.status : phase];
  return (
    <Stack gap="sm" role="region" aria-label="Outcome">
      <Group gap="xs" role="status">
        {shown && <Badge color={shown.color}>{shown.label}</Badge>}
        {outcome?.kind === 'try' && <Badge color="grape">A try: not counted, not kept</Badge>}
        {outcome && <Used came={outcome} />}
      </Group>
      {phase === 'stopped' && (
        <Text size="sm" c="dimmed">
          You stopped it. What it had written until then is below; nothing of it was kept.
        </Text>
      )}
      {outcome && <Failed came={outcome} />}
      {outcome && outcome.ran.status === 'succeeded' && <Result value={outcome.ran.result} />}
      <Output execution={execution} />
      {outcome && <Files came={outcome} />}
      {outcome?.kind === 'run' && outcome.ran.visits.length > 0 && (
        <Text size="sm" c="dimmed">
          Hosts it asked for:{' '}
          {outcome.ran.visits.map(({ host, allowed }) => (allowed ? host : `${host} (refused)`)).join(', ')}
        </Text>
      )}
    </Stack>
  );
}

function Used({ came }: { came: Came }) {
  const { ran } = came;
  const cpu = came.kind === 'run' ? came.ran.cpu_ms : null;
  const memory = came.kind === 'run' ? came.ran.memory_bytes : null;
  return (
    <Text size="sm" c="dimmed">
      {duration(ran.duration_ms)}
      {typeof cpu === 'number' && ` · ${duration(cpu)} of processor`}
      {typeof memory === 'number' && ` · ${bytes(memory)} of memory`}
    </Text>
  );
}

function Failed({ came }: { came: Came }) {
  const { error, limits_hit: limits } = came.ran;
  return (
    <>
      {limits.map((limit) => (
        <Alert key={limit} color="yellow" icon={<IconGauge size={18} />} p="xs">
          <Text size="sm">{limitWords(limit)}</Text>
        </Alert>
      ))}
      {error && (
        <Alert
          color="red"
          icon={<IconAlertTriangle size={18} />}
          title={error.line ? `${errorWords(error.code)}, line ${error.line}` : errorWords(error.code)}
        >
          <Text size="sm">
            <b>{error.type}</b>
            {error.message ? `: ${error.message}` : ''}
          </Text>
          {error.traceback && (
            <Code block mt="xs" tabIndex={0} role="group" aria-label="Traceback">
              {error.traceback.trimEnd()}
            </Code>
          )}
        </Alert>
      )}
    </>
  );
}

function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <Group justify="space-between" mb={4} mih={28}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        {aside}
      </Group>
      {children}
    </div>
  );
}

function Result({ value }: { value: unknown }) {
  if (value === null || value === undefined) {
    return (
      <Text size="sm" c="dimmed">
        It gave nothing back.
      </Text>
    );
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <Part title="Result" aside={<Copy text={text} what="result" />}>
      <Box component="pre" className={classes.output} tabIndex={0} role="group" aria-label="Result">
        {text}
      </Box>
    </Part>
  );
}

function Copy({ text, what }: { text: string; what: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy the ${what}`}>
          <ActionIcon aria-label={`Copy the ${what}`} onClick={copy}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** Follows its end while it grows, unless somebody scrolled up to read. */
function Output({ execution }: { execution: Execution }) {
  const place = useRef<HTMLPreElement>(null);
  const following = useRef(true);
  const { output, cut, phase, outcome } = execution;
  useEffect(() => {
    if (place.current && following.current && output.length > 0) {
      place.current.scrollTop = place.current.scrollHeight;
    }
  }, [output]);
  if (output.length === 0) {
    if (phase !== 'running') return null;
    return (
      <Text size="sm" c="dimmed">
        No output so far.
      </Text>
    );
  }
  const left = cut || outcome?.ran.stdout_truncated || outcome?.ran.stderr_truncated;
  return (
    <Part title="Output" aside={<Copy text={output.map((chunk) => chunk.text).join('')} what="output" />}>
      <Box
        component="pre"
        role="log"
        ref={place}
        className={classes.output}
        tabIndex={0}
        aria-label="Output"
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          following.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
      >
        {output.map((chunk, place) => (
          <Written key={place} chunk={chunk} />
        ))}
      </Box>
      {left && (
        <Text size="xs" c="dimmed" mt={4}>
          There was more output than is shown here.
        </Text>
      )}
    </Part>
  );
}

function Written({ chunk }: { chunk: Chunk }) {
  if (chunk.stream === 'stdout') return <span data-stream="stdout">{chunk.text}</span>;
  return (
    <span data-stream="stderr" className={classes.stderr} title="Written to standard error">
      {chunk.text}
    </span>
  );
}

const nameOf = (path: string) => path.split('/').pop() || 'file';

function blobOf(base64: string, type: string): Blob {
  return new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type });
}

type Made = { path: string; size: number; media_type: string; fetch?: () => Promise<Blob> };

function madeFiles(came: Came): Made[] {
  if (came.kind === 'run') {
    return came.ran.files.map((file) => {
      const content = file.content_base64;
      return {
        ...file,
        fetch: typeof content === 'string' ? async () => blobOf(content, file.media_type) : undefined,
      };
    });
  }
  const session = came.ran.session_id;
  return came.ran.files.map((file) => ({
    ...file,
    fetch: async () => {
      const query = new URLSearchParams({ session_id: session, path: file.path });
      return (await fetchRaw(`/files/download?${query}`)).blob();
    },
  }));
}

function Files({ came }: { came: Came }) {
  const files = madeFiles(came);
  if (files.length === 0) return null;
  return (
    <Part title="Files it made">
      <Stack gap={0}>
        {files.map((file) => (
          <Group key={file.path} justify="space-between" wrap="nowrap" py={6} className={classes.row}>
            <div>
              <Text size="sm" ff="monospace">
                {file.path}
              </Text>
              <Text size="xs" c="dimmed">
                {bytes(file.size)} · {file.media_type}
              </Text>
            </div>
            {file.fetch ? (
              <ActionIcon
                aria-label={`Download ${file.path}`}
                onClick={() => file.fetch?.().then((blob) => saveAs(blob, nameOf(file.path)), failed)}
              >
                <IconDownload size={16} />
              </ActionIcon>
            ) : (
              <Text size="xs" c="dimmed">
                too large to bring along
              </Text>
            )}
          </Group>
        ))}
      </Stack>
      {came.ran.files_truncated && (
        <Text size="xs" c="dimmed">
          There are more files than are listed.
        </Text>
      )}
    </Part>
  );
}
