/** What was said and done in a session, in its order. */
import { Box, Button, Group, Text } from '@mantine/core';
import { IconPlayerStop, IconRobot } from '@tabler/icons-react';
import { Markdown } from '@/components/code';
import { Failure } from '@/components/page';
import { Ago } from '@/components/time';
import { Answer } from './Answer';
import { ArtifactCard } from './Artifact';
import type { Entry } from './queries';
import classes from './sessions.module.css';
import { ToolCard } from './ToolCard';
import type { Sent, Turn } from './turns';
import type { Interpreter } from './useInterpreter';

/** So many of the last calls are unfolded. */
const UNFOLDED = 8;

type ThreadProps = {
  turns: Turn[];
  unkept: Sent[];
  /** Whether everything that was kept is there. */
  whole: boolean;
  /** Whose words the messages of the user are. */
  person: string;
  agent: string | undefined;
  interpreter: Interpreter;
  write?: (text: string) => void;
  save?: (code: string) => void;
};

export function Thread({ turns, unkept, whole, person, agent, interpreter, write, save }: ThreadProps) {
  const recent = turns.filter((turn) => turn.kind === 'call').at(-UNFOLDED)?.number ?? 0;
  return (
    <Box className={classes.thread} role="log" aria-label="Conversation" aria-live="polite">
      {turns.map((turn) =>
        turn.kind === 'message' ? (
          <Message key={turn.number} entry={turn.entry} person={person} />
        ) : turn.kind === 'artifact' ? (
          <ArtifactCard key={turn.number} artifact={turn.artifact} />
        ) : (
          <ToolCard
            key={turn.number}
            turn={turn}
            unfolded={Boolean(write) && turn.number >= recent}
            agent={agent}
            write={write}
            save={save}
          />
        ),
      )}
      {unkept.map((one) => (
        <SentCard
          key={one.id}
          one={one}
          whole={whole}
          agent={agent}
          interpreter={interpreter}
          write={write}
        />
      ))}
    </Box>
  );
}

function Message({ entry, person }: { entry: Entry; person: string }) {
  if (entry.role === 'system')
    return (
      <Text size="sm" c="dimmed" className={classes.system}>
        {entry.text}
      </Text>
    );
  const user = entry.role === 'user';
  return (
    <Box className={classes.message} data-role={entry.role}>
      <Group gap={6} mb={4} c="dimmed" justify={user ? 'flex-end' : 'flex-start'}>
        {!user && <IconRobot size={14} aria-hidden />}
        <Text size="xs">{user ? person : 'Assistant'}</Text>
        <Ago at={entry.at} size="xs" />
      </Group>
      <Box className={classes.bubble}>
        <Markdown>{entry.text}</Markdown>
      </Box>
    </Box>
  );
}

type SentProps = {
  one: Sent;
  whole: boolean;
  agent: string | undefined;
  interpreter: Interpreter;
  write?: (text: string) => void;
};

function SentCard({ one, whole, agent, interpreter, write }: SentProps) {
  return (
    <Box component="section" className={classes.tool} aria-label="Sent" data-state={one.state}>
      <div className={classes.toolBody}>
        <pre className={classes.sent}>{one.text}</pre>
        {one.state === 'running' && (
          <Group gap="sm">
            <Text size="sm" c="dimmed" role="status" aria-busy="true">
              Working…
            </Text>
            <Button
              size="compact-xs"
              leftSection={<IconPlayerStop size={14} />}
              onClick={() => interpreter.stop(one.id)}
            >
              Stop
            </Button>
          </Group>
        )}
        {one.state === 'failed' && (
          <>
            <Failure error={one.error} retry={() => interpreter.again(one)} />
            {write && (
              <Group>
                <Button
                  size="compact-xs"
                  variant="subtle"
                  onClick={() => {
                    write(one.text);
                    interpreter.drop(one.id);
                  }}
                >
                  Put it back into the box
                </Button>
              </Group>
            )}
          </>
        )}
        {one.state === 'done' && one.answer && write && (
          <>
            <Answer answer={one.answer} agent={agent} write={write} />
            {one.settled && whole && (
              <Text size="xs" c="dimmed">
                Not kept: this server does not record sessions.
              </Text>
            )}
          </>
        )}
      </div>
    </Box>
  );
}
