/** What a skill bounds: its policy as a form and as its source, and what a change of it would do. */
import { Alert, Box, Button, Grid, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconLock } from '@tabler/icons-react';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { meQuery, queryClient } from '@/api/queries';
import { CodeEditor, type Mark } from '@/components/code';
import { ask, failed, told } from '@/components/feedback';
import { Failure, ListSkeleton } from '@/components/page';
import { SaveBar } from '@/components/SaveBar';
import { useUnsavedGuard } from '@/components/unsaved';
import { Findings } from '../Findings';
import { fileTextQuery, useFileText } from '../files';
import { Newer } from '../Newer';
import { rightsOf } from '../rights';
import { type Skill, savedSkill, useSkill, useSkillActions } from '../useSkill';
import { analysisQuery } from './drafts';
import { Effect } from './Effect';
import { NoPolicy } from './NoPolicy';
import { PolicyForm } from './PolicyForm';
import { join, offsetOf, readPolicy, SIDECAR, split, writePolicy } from './source';
import { TestTables } from './TestTables';

export default function PolicyTab() {
  const skill = useSkill();
  const some = skill.files.some(({ path }) => path === SIDECAR);
  const { text, settled, error, retry } = useFileText(skill, some ? SIDECAR : null);
  if (text === undefined && !error) return <ListSkeleton rows={4} height={72} />;
  return (
    <>
      {error && <Failure error={error} retry={retry} />}
      {text !== undefined && <Editor key={skill.id} skill={skill} sidecar={text ?? ''} settled={settled} />}
    </>
  );
}

/** What is being edited, and what it was begun on. */
type Draft = { base: Skill; sidecar: string; text: string };

type EditorProps = {
  skill: Skill;
  sidecar: string;
  /** Whether `sidecar` is what `skill` has; until then nothing is begun on it. */
  settled: boolean;
};

function Editor({ skill, sidecar, settled }: EditorProps) {
  const me = useSuspenseQuery(meQuery).data;
  const [draft, setDraft] = useState<Draft | null>(null);
  const [message, setMessage] = useState('');
  const base = draft?.base ?? skill;
  const parts = useMemo(() => split(draft?.sidecar ?? sidecar), [draft?.sidecar, sidecar]);
  const text = draft?.text ?? parts.policy;
  const changed = draft !== null && draft.text !== parts.policy;
  const { edit, saving } = useSkillActions(base);
  useUnsavedGuard(changed);

  // A draft on a former text would take the newer one back.
  const held = !draft && !settled;
  const [error, setError] = useState<unknown>(null);
  const policyAdmin = me.user.roles.includes('policy_admin');
  const rights = rightsOf(me, skill);
  const why = policyAdmin ? rights.why : 'Only policy admins change policies; here you can read it.';
  // A form of locked fields is hard to read; its source is not.
  const [view, setView] = useState<'form' | 'source'>(why ? 'source' : 'form');
  const reading = useMemo(() => readPolicy(text), [text]);
  const [asked] = useDebouncedValue(join({ ...parts, policy: text }), 300);
  const readable = 'policy' in reading;
  const found = useQuery({
    ...analysisQuery({ skill: base, sidecar: asked, remove: false }),
    enabled: policyAdmin && Boolean(text) && readable,
  });
  const findings = useMemo(
    () => (readable ? (found.data?.findings ?? []).filter((finding) => finding.file === SIDECAR) : []),
    [found.data, readable],
  );
  const offset = offsetOf(parts);
  const marks = useMemo((): Mark[] => {
    if ('problem' in reading) return [{ line: reading.line, level: 'error', message: reading.problem }];
    const here = findings.filter((finding) => (finding.line ?? 0) > offset);
    return here.map(({ line, level, message: said }) => ({
      line: (line ?? 1) - offset,
      level: level === 'error' || level === 'warning' ? level : 'info',
      message: said,
    }));
  }, [reading, findings, offset]);

  const put = (now: string) => {
    if (held) return;
    setError(null);
    setDraft((old) => ({ base: old?.base ?? skill, sidecar: old?.sidecar ?? sidecar, text: now }));
  };
  const leave = () => {
    setDraft(null);
    setMessage('');
    setError(null);
  };
  const write = async (body: Parameters<typeof edit>[0], written?: string) => {
    setError(null);
    try {
      const done = await edit({ ...body, message, expected_revision: base.revision });
      if (!done) return;
      // What was written is known, so editing goes on without a wait until it is read again.
      const { queryKey } = fileTextQuery(skill.id, SIDECAR, done.skill.revision);
      if (written !== undefined) queryClient.setQueryData(queryKey, written);
      const now = await savedSkill(done.skill);
      setDraft((latest) =>
        // What was typed meanwhile is not saved yet.
        written !== undefined && latest && latest.text !== text
          ? { base: now, sidecar: written, text: latest.text }
          : null,
      );
      setMessage('');
      const waits = done.skill.status === 'pending_approval' ? '; it waits for approval' : '';
      told(`Saved as revision ${done.skill.revision}${waits}`);
    } catch (thrown) {
      if (written === undefined) failed(thrown);
      else setError(thrown);
    }
  };
  const remove = async () => {
    const sure = await ask({
      title: 'Remove the policy?',
      message: 'Nothing of it holds any more once that revision is in force. Its history keeps it.',
      confirm: 'Remove policy',
    });
    if (sure) await write({ policy: null });
  };
  const discard = async () => {
    const sure = await ask({
      title: 'Discard your changes?',
      message: 'What you changed in this policy is not saved.',
      confirm: 'Discard',
    });
    if (sure) leave();
  };

  if (!text && !draft) return <NoPolicy why={why} onAdd={put} />;
  return (
    <>
      {draft && <Newer base={base} now={skill} />}
      {why && (
        <Alert color="gray" icon={<IconLock size={18} />} mb="md" p="xs">
          {why}
        </Alert>
      )}
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: policyAdmin ? 7 : 12 }}>
          <Group justify="space-between" mb="md">
            <SegmentedControl
              aria-label="How to see the policy"
              value={view}
              onChange={(now) => setView(now as 'form' | 'source')}
              data={[
                { value: 'form', label: 'Form' },
                { value: 'source', label: 'Source' },
              ]}
            />
            {!why && skill.policy && (
              <Button size="xs" variant="subtle" color="red" onClick={() => void remove()}>
                Remove policy
              </Button>
            )}
          </Group>
          {view === 'source' ? (
            <>
              <CodeEditor
                label="Policy, as it stands in repertoire.yaml"
                language="yaml"
                value={text}
                readOnly={Boolean(why) || held}
                onChange={why ? undefined : (now) => now !== text && put(now)}
                marks={marks}
                height="28rem"
              />
              <Text size="xs" c="dimmed" mt={4}>
                The part <code>policy</code> of <code>repertoire.yaml</code>. The rest of the file stays as it
                is.
              </Text>
            </>
          ) : 'policy' in reading ? (
            <PolicyForm
              policy={reading.policy}
              disabled={Boolean(why)}
              put={(path, value) => put(writePolicy(text, path, value))}
            />
          ) : (
            <Alert color="red" title={`Line ${reading.line} of the source cannot be read`}>
              {reading.problem}. Mend it in the source, then the form is back.
            </Alert>
          )}
          {findings.length > 0 && (
            <Box mt="md">
              <Text size="sm" fw={600} mb={6}>
                Found in it
              </Text>
              <Findings of={findings} />
            </Box>
          )}
        </Grid.Col>
        {policyAdmin && (
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Stack>
              <Effect skill={base} sidecar={asked} changed={changed} />
              <TestTables skill={base} sidecar={asked} />
            </Stack>
          </Grid.Col>
        )}
      </Grid>
      <SaveBar
        changed={changed}
        what="The policy is changed"
        blocked={readable ? null : 'The source cannot be read'}
        saving={saving}
        error={error}
        message={message}
        onMessage={setMessage}
        onSave={() => {
          const content = join({ ...parts, policy: text });
          void write({ files: [{ path: SIDECAR, content }] }, content);
        }}
        onDiscard={() => void discard()}
      />
    </>
  );
}
