/** What the interpreter answered: result, output, error, files, found skills. */
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconFileDownload } from '@tabler/icons-react';
import type { Schemas } from '@/api/client';
import { fetchRaw, messageOf } from '@/api/client';
import { failed } from '@/components/feedback';
import { bytes, percent } from '@/components/time';
import { through } from './queries';
import classes from './sessions.module.css';
import { forPeople } from './turns';

type View = Schemas['InterpretedView'];

export function Block({ label, children }: { label: string; children: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={2}>
        {label}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.output} tabIndex={0} aria-label={label}>
        <pre>{children}</pre>
      </section>
    </div>
  );
}

type AnswerProps = { answer: View; agent: string | undefined; write: (text: string) => void };

export function Answer({ answer, agent, write }: AnswerProps) {
  const { error, result, stdout, stderr, files, skills } = answer;
  const silent = result == null && !stdout && !stderr && files.length === 0;
  const saidInWords = answer.operation === 'register_skill' || answer.operation === 'use_skill' || !error;
  return (
    <Stack gap="sm">
      {error && <Problem code={error.code} message={error.message} line={error.line} />}
      {result != null && (
        <Block label="Result">{typeof result === 'string' ? result : JSON.stringify(result, null, 2)}</Block>
      )}
      {stdout && <Block label="Printed">{stdout}</Block>}
      {stderr && <Block label="Printed as errors">{stderr}</Block>}
      {files.length > 0 && answer.session_id && (
        <Files files={files} session={answer.session_id} agent={agent} />
      )}
      {skills ? (
        <Found skills={skills} write={write} />
      ) : (
        silent && !error && saidInWords && <Words text={answer.text} />
      )}
    </Stack>
  );
}

/** An answer of which only the words are kept. */
export function Words({ text }: { text: string }) {
  return <Text className={classes.words}>{forPeople(text)}</Text>;
}

export function Problem({ code, message, line }: { code: string; message: string; line?: number | null }) {
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title={line ? `It failed in line ${line}` : 'It failed'}
    >
      <Text size="sm" className={classes.words}>
        {messageOf(message)}
      </Text>
      {code === 'syntax_error' && (
        <Text size="sm" mt={4}>
          Text without a slash is run as Python. To look for a skill, write /search and what you want to do.
        </Text>
      )}
    </Alert>
  );
}

export type SessionFile = Pick<Schemas['SessionFileView'], 'path' | 'size'>;

export function Files({
  files,
  session,
  agent,
}: {
  files: SessionFile[];
  session: string;
  agent: string | undefined;
}) {
  return (
    <Group gap="xs">
      {files.map((file) => (
        <Button
          key={file.path}
          size="xs"
          leftSection={<IconFileDownload size={16} />}
          aria-label={`${file.path} · ${bytes(file.size)}, download`}
          onClick={() => void download(file.path, session, agent).catch(failed)}
        >
          {file.path} · {bytes(file.size)}
        </Button>
      ))}
    </Group>
  );
}

/** Fetched, not linked to: the request must say through which agent it comes. */
async function download(path: string, session: string, agent: string | undefined): Promise<void> {
  const query = new URLSearchParams({ session_id: session, path });
  const response = await fetchRaw(`/files/download?${query}`, { headers: through(agent) });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = path.split('/').pop() ?? path;
  link.click();
  URL.revokeObjectURL(link.href);
}

function Found({
  skills,
  write,
}: {
  skills: Schemas['FoundProcedureView'][];
  write: (text: string) => void;
}) {
  if (skills.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No skill fits that. Other words may help, or write the code and save it with /save.
      </Text>
    );
  return (
    <Stack gap="xs">
      {skills.map((skill) => (
        <Group key={skill.name} justify="space-between" wrap="nowrap" className={classes.found}>
          <div className={classes.grow}>
            <Group gap="xs">
              <Text size="sm" fw={600}>
                {skill.name}
              </Text>
              <Badge color="gray">{percent(skill.similarity)}</Badge>
            </Group>
            <Text size="sm" c="dimmed">
              {skill.description}
            </Text>
          </div>
          <Button
            size="xs"
            aria-label={`Use ${skill.name}`}
            onClick={() =>
              write(
                `/use ${skill.name} ${skill.parameters
                  .filter((parameter) => parameter.required !== false)
                  .map((parameter) => `${parameter.name}=`)
                  .join(' ')}`,
              )
            }
          >
            Use
          </Button>
        </Group>
      ))}
    </Stack>
  );
}
