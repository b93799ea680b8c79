/** One conversation: what was said and done, what stands beside it, and the box to go on. */
import { Alert, Button, Drawer, Text } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconInfoCircle, IconMessageOff, IconTerminal2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import { agentsQuery, meQuery } from '@/api/queries';
import { BackLink } from '@/components/BackLink';
import { useNames } from '@/components/names';
import { Empty, Failure, ListSkeleton, Page, PageSkeleton } from '@/components/page';
import { administers } from '@/components/roles';
import { Composer, type ComposerHandle } from './Composer';
import { parseCommand, requestOf, writtenAs } from './commands';
import { OutcomeBadge } from './OutcomeBadge';
import { type SessionDetail, sessionQuery } from './queries';
import { useEnd, useEntries, useOnceRead } from './reading';
import { SaveForm, type ToSave } from './SaveForm';
import { SessionActions } from './SessionActions';
import { SideNotes } from './SideNotes';
import classes from './sessions.module.css';
import { Thread } from './Thread';
import { codeSessionOf, INTERPRETER, type Turn, together, turnsOf } from './turns';
import { useInterpreter } from './useInterpreter';

const route = getRouteApi('/shell/conversations/$sessionId');

const back = <BackLink to="/conversations">Conversations</BackLink>;

export default function ConversationPage() {
  const { sessionId } = route.useParams();
  const session = useQuery(sessionQuery(sessionId));
  const agents = useQuery(agentsQuery);
  // Nothing may be sent before it is known through which agent.
  if (session.data && (agents.data || !session.data.agent_id))
    return <Conversation key={sessionId} session={session.data} />;
  const error = session.error ?? agents.error;
  if (!error) return <PageSkeleton />;
  const gone = session.error instanceof ApiError && session.error.status === 404;
  return (
    <Page title="Conversation" above={back} width="text">
      {gone ? (
        <Empty icon={IconMessageOff} title="This conversation is not there">
          It was deleted, or it is another person’s.
        </Empty>
      ) : (
        <Failure error={error} retry={() => void Promise.all([session.refetch(), agents.refetch()])} />
      )}
    </Page>
  );
}

function Conversation({ session }: { session: SessionDetail }) {
  const me = useQuery(meQuery).data?.user;
  const names = useNames();
  const agents = useQuery(agentsQuery);
  const agent = agents.data?.find(({ id }) => id === session.agent_id);
  const memory = !agent || Boolean(agent.procedural_memory?.enabled);
  const wide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const [aside, { open, close }] = useDisclosure();
  const [saving, setSaving] = useState<ToSave | null>(null);
  const [help, setHelp] = useState(false);
  const [problem, setProblem] = useState('');
  const box = useRef<ComposerHandle>(null);
  const own = session.user_id === me?.id;
  const writable = own && !session.outcome;
  const { query, entries, wanted } = useEntries(session.id, writable);

  const kept = useMemo(() => turnsOf(entries), [entries]);
  const codeSession = useRef<string>(undefined);
  const interpreter = useInterpreter(session, agent?.name, entries.at(-1)?.number ?? 0, codeSession);
  const { turns, unkept } = useMemo(() => together(kept, interpreter.sent), [kept, interpreter.sent]);
  codeSession.current =
    interpreter.sent.findLast(({ answer }) => answer?.session_id)?.answer?.session_id ?? codeSessionOf(turns);
  const main = useEnd(writable, interpreter.sent.length);
  const write = (text: string) => box.current?.write(text);
  const save = ({ name, description, code }: ToSave) => {
    setSaving(null);
    void interpreter.send(
      `/save ${name} ${description}`,
      requestOf({ kind: 'save', name: name.trim(), description: description.trim(), code }),
    );
  };

  const onSend = async (text: string): Promise<boolean> => {
    const command = parseCommand(text);
    setProblem('');
    setHelp(command.kind === 'help');
    if (command.kind === 'help') return true;
    if (command.kind === 'wrong') {
      setProblem(command.message);
      return false;
    }
    // An agent without memory would run the words as code, and fail for no reason that a person sees.
    if (command.kind !== 'run' && !memory) {
      setProblem('The memory of this conversation’s agent is off: it runs code, and knows no skills.');
      return false;
    }
    if (command.kind === 'list') return interpreter.list(text.trim());
    if (command.kind === 'save') {
      const whole = { ...command, code: command.code || lastCode(turns) };
      if (!whole.name || !whole.description || !whole.code) setSaving(whole);
      else save(whole);
      return true;
    }
    void interpreter.send(text.trim(), requestOf(command));
    return true;
  };

  const sendOnceRead = useOnceRead(query.isPending || (wanted && !query.isFetchNextPageError), onSend);

  const notes = <SideNotes session={session} codeSession={codeSession.current} agent={agent?.name} />;
  return (
    <Page
      title={session.title || 'Untitled conversation'}
      above={back}
      aside={<OutcomeBadge outcome={session.outcome} />}
      actions={
        <>
          {!wide && <Button onClick={open}>Details</Button>}
          <SessionActions session={session} own={own} mayDelete={own || Boolean(me && administers(me))} />
        </>
      }
    >
      <div className={classes.layout}>
        <div className={classes.main} ref={main}>
          {query.isPending && <ListSkeleton rows={4} height={72} />}
          {query.error && entries.length === 0 && (
            <Failure error={query.error} retry={() => void query.refetch()} />
          )}
          {query.data && turns.length + unkept.length === 0 && (
            <Beginning writable={writable} write={write} memory={memory} />
          )}
          <Thread
            turns={turns}
            unkept={unkept}
            whole={query.isSuccess && !query.hasNextPage}
            person={own ? 'You' : names.user(session.user_id)}
            agent={agent?.name}
            interpreter={interpreter}
            write={writable ? write : undefined}
            save={writable && memory ? (code) => setSaving({ name: '', description: '', code }) : undefined}
          />
          {query.isFetchNextPageError && (
            <Failure error={query.error} retry={() => void query.fetchNextPage()} />
          )}
          {query.hasNextPage && !wanted && !query.isFetchNextPageError && (
            <Button fullWidth variant="subtle" mt="sm" onClick={() => void query.fetchNextPage()}>
              Show more of {session.entry_count.toLocaleString('en')} entries
            </Button>
          )}
          {writable ? (
            <Composer
              handle={box}
              id={session.id}
              agent={agent?.name}
              // Until its agent is known, nothing is sent in another's name.
              busy={interpreter.busy || (Boolean(session.agent_id) && agents.isPending)}
              before={historyOf(turns)}
              onSend={sendOnceRead}
              help={help}
              problem={problem}
            />
          ) : (
            me && (
              <Alert variant="light" color="gray" icon={<IconInfoCircle size={18} />} mt="md">
                {own
                  ? 'This conversation has ended: nothing can be added to it.'
                  : 'This is another person’s conversation: you can read it, and not add to it.'}
              </Alert>
            )
          )}
        </div>
        {wide && <aside className={classes.aside}>{notes}</aside>}
      </div>
      <Drawer opened={aside && !wide} onClose={close} position="right" title="Details" size="sm">
        {notes}
      </Drawer>
      <SaveForm start={saving} onClose={() => setSaving(null)} onSave={save} />
    </Page>
  );
}

const calls = (turns: Turn[]) =>
  turns.flatMap((turn) => (turn.kind === 'call' && turn.call?.tool === INTERPRETER ? [turn.call] : []));

/** What was written before, the last one last. */
function historyOf(turns: Turn[]): string[] {
  return calls(turns)
    .map((call) => writtenAs(call))
    .filter(Boolean);
}

/** The code that ran last. */
function lastCode(turns: Turn[]): string {
  const ran = calls(turns).findLast(
    ({ data }) => ((data as { operation?: string } | null)?.operation ?? 'execute') === 'execute',
  );
  return ran ? writtenAs(ran) : '';
}

const examples = ['sum(range(1, 101))', '/search compound interest', '/skills', '/help'];
const withoutMemory = examples.slice(0, 1);

function Beginning({
  writable,
  write,
  memory,
}: {
  writable: boolean;
  write: (text: string) => void;
  memory: boolean;
}) {
  return (
    <Empty
      icon={IconTerminal2}
      title={writable ? 'Write some Python, or a command' : 'Nothing was said here'}
      actions={
        writable &&
        (memory ? examples : withoutMemory).map((example) => (
          <Button key={example} size="xs" ff="monospace" onClick={() => write(example)}>
            {example}
          </Button>
        ))
      }
    >
      {writable && (
        <>
          <Text>
            Code runs in the sandbox. What works can be saved as a skill with /save, found again with /search,
            and used with /use.
          </Text>
          {!memory && (
            <Text mt="xs">
              The memory of this conversation’s agent is off: it runs code, and knows no skills. Turn on
              procedural memory in the agent’s settings to save and use them here.
            </Text>
          )}
        </>
      )}
    </Empty>
  );
}
