/** What a skill does: its code, its parameters, and running it. */
import { Badge, Box, Button, Code, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';
import { meQuery, queryClient } from '@/api/queries';
import { CodeEditor, type Language, type Mark } from '@/components/code';
import { ask, told } from '@/components/feedback';
import { Failure, ListSkeleton } from '@/components/page';
import { SaveBar } from '@/components/SaveBar';
import { useUnsavedGuard } from '@/components/unsaved';
import { fileTextQuery, useFileText } from '../files';
import { Newer } from '../Newer';
import { rightsOf } from '../rights';
import { type Skill, savedSkill, useSkill, useSkillActions } from '../useSkill';
import classes from './code.module.css';
import { Declarations } from './Declarations';
import { type Draft, draftOf, editOf, isChanged, newDraft, typedSince } from './draft';
import { NoProcedure } from './NoProcedure';
import { declarationProblems, type Fields, fieldsOf, recallFields, startFields } from './parameters';
import { RecentRuns } from './RecentRuns';
import { RunPanel } from './RunPanel';

export default function CodeTab() {
  const skill = useSkill();
  return <CodeOf key={skill.id} skill={skill} />;
}

function CodeOf({ skill }: { skill: Skill }) {
  const { procedure } = skill;
  const { text, settled, error, retry } = useFileText(skill, procedure?.file ?? null);
  const { why } = rightsOf(useSuspenseQuery(meQuery).data, skill);
  const [draft, setDraft] = useState<Draft | null>(null);
  const stored = procedure && typeof text === 'string' ? draftOf(skill, procedure, text) : null;
  if (!procedure && !draft) return <NoProcedure why={why} onAdd={() => setDraft(newDraft(skill))} />;
  const shown = draft ?? stored;
  return (
    <>
      {error && <Failure error={error} retry={retry} />}
      {shown && (
        <Workbench
          skill={skill}
          stored={stored}
          settled={settled}
          why={why}
          draft={draft}
          setDraft={setDraft}
          shown={shown}
        />
      )}
      {!shown && !error && <ListSkeleton rows={4} height={72} />}
    </>
  );
}

type Props = {
  skill: Skill;
  /** The procedure as it is saved; nothing where it is yet to be made. */
  stored: Draft | null;
  /** Whether the code of `stored` is what `skill` has; until then nothing is begun on it. */
  settled: boolean;
  /** Why it cannot be changed, where that is so. */
  why: string | null;
  draft: Draft | null;
  setDraft: Dispatch<SetStateAction<Draft | null>>;
  /** What is edited, or else what is saved. */
  shown: Draft;
};

function Workbench({ skill, stored, settled, why, draft, setDraft, shown }: Props) {
  const { procedure } = skill;
  const [message, setMessage] = useState('');
  const [mark, setMark] = useState<Mark | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { edit, saving } = useSkillActions(draft?.base ?? skill);
  const changed = draft !== null && isChanged(draft);
  // Where nothing was typed, what others save simply shows.
  useEffect(() => {
    if (draft && !changed && stored && settled && draft.base.version < stored.base.version) setDraft(stored);
  }, [draft, changed, stored, settled, setDraft]);
  const [fields, setFields] = useState<Fields>(() => ({
    ...startFields(shown.parameters),
    ...recallFields(skill.id),
  }));
  useUnsavedGuard(changed);

  const change = (part: Partial<Draft>) => {
    setMark(null);
    setError(null);
    setDraft((now) => ({ ...(now ?? shown), ...part }));
  };
  const broken = declarationProblems(shown.parameters).some(Boolean);
  const leave = () => {
    setDraft(null);
    setMessage('');
    setMark(null);
    setError(null);
  };
  const save = async () => {
    if (!draft) return;
    setError(null);
    try {
      const done = await edit({
        procedure: editOf(draft),
        message: message.trim(),
        expected_revision: draft.base.revision,
      });
      if (!done) return;
      told(
        done.skill.status === 'pending_approval'
          ? `Saved as revision ${done.skill.revision}; it waits for approval`
          : `Saved as revision ${done.skill.revision}`,
      );
      const now = await savedSkill(done.skill);
      const { procedure: made } = now;
      if (!made) return leave();
      // What was written is known, so editing goes on without a wait until it is read again.
      const { queryKey } = fileTextQuery(now.id, made.file, done.skill.revision);
      queryClient.setQueryData(queryKey, draft.code);
      const saved = draftOf(now, made, draft.code);
      // Whoever saves goes on writing where they were; what they typed meanwhile is not saved yet.
      setDraft((latest) => latest && typedSince(draft, latest, saved));
      setMessage('');
    } catch (thrown) {
      setError(thrown);
    }
  };
  const discard = async () => {
    const sure = await ask({
      title: 'Discard your changes?',
      message: 'What you changed in this procedure is not saved.',
      confirm: 'Discard',
    });
    if (sure) leave();
  };
  return (
    <Stack gap="lg">
      {draft && <Newer base={draft.base} now={skill} />}
      <div className={classes.bench}>
        <div className={classes.code}>
          <Group justify="space-between" mb="xs" mih={36}>
            <Group gap="xs" wrap="wrap">
              <Title order={2} size="h5">
                Code
              </Title>
              <Code>{shown.file}</Code>
              <Badge color="gray">{shown.language}</Badge>
              {shown.function && !draft && (
                <Text size="sm" c="dimmed">
                  calls <Code>{shown.function}</Code>
                </Text>
              )}
            </Group>
            {!draft && !why && (
              <Button
                size="xs"
                disabled={!settled}
                leftSection={<IconPencil size={14} />}
                onClick={() => setDraft(stored)}
              >
                Edit
              </Button>
            )}
            {draft && !changed && (
              <Button size="xs" onClick={leave}>
                Stop editing
              </Button>
            )}
          </Group>
          {why && (
            <Text size="sm" c="dimmed" mb="xs">
              {why}
            </Text>
          )}
          <CodeEditor
            label={`Code of ${shown.file}`}
            language={shown.language === 'shell' ? 'text' : (shown.language as Language)}
            value={shown.code}
            readOnly={!draft}
            onChange={draft ? (code) => code !== shown.code && change({ code }) : undefined}
            marks={mark ? [mark] : none}
            maxHeight="34rem"
          />
          {draft && (
            <Box mt="md">
              <TextInput
                mb="md"
                label="Function to call"
                description="Left empty, the file runs as a script and its last expression is the result."
                classNames={{ input: classes.mono }}
                maw="20rem"
                value={draft.function}
                disabled={draft.language === 'shell'}
                onChange={(event) => change({ function: event.currentTarget.value })}
              />
              <Title order={2} size="h5" mb="xs">
                Parameters it declares
              </Title>
              <Declarations parameters={draft.parameters} onChange={(parameters) => change({ parameters })} />
            </Box>
          )}
        </div>
        <div className={classes.run}>
          <RunPanel
            skill={skill}
            procedure={{ ...shown, profile: procedure?.profile }}
            code={shown.code}
            saved={!changed}
            fields={fields}
            setFields={setFields}
            onError={(error) => setMark(error && { ...error, level: 'error' })}
          />
        </div>
        {procedure && (
          <div className={classes.recent}>
            <RecentRuns
              skill={skill.id}
              onPick={(values) =>
                setFields({ ...startFields(shown.parameters), ...fieldsOf(shown.parameters, values) })
              }
            />
          </div>
        )}
      </div>
      <SaveBar
        changed={changed}
        what="The procedure is changed"
        blocked={broken ? 'A parameter needs another name' : null}
        saving={saving}
        error={error}
        message={message}
        onMessage={setMessage}
        onSave={() => void save()}
        onDiscard={() => void discard()}
      />
    </Stack>
  );
}

const none: Mark[] = [];
