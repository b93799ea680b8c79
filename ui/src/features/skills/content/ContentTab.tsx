/** The files of a skill: SKILL.md and all others, edited together and saved as one revision. */
import { Box, Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ApiError, messageOf, type Schemas } from '@/api/client';
import { meQuery } from '@/api/queries';
import type { Mark } from '@/components/code';
import { told } from '@/components/feedback';
import { SaveBar } from '@/components/SaveBar';
import { counted } from '@/components/time';
import { useUnsavedGuard } from '@/components/unsaved';
import { Findings } from '../Findings';
import { Newer } from '../Newer';
import { rightsOf } from '../rights';
import { useSkill, useSkillActions } from '../useSkill';
import { Verdicts } from '../Verdicts';
import classes from './content.module.css';
import { type Change, inOrder } from './draft';
import { useExamination } from './examine';
import { FileManager } from './FileManager';
import { FilePane } from './FilePane';
import { useDraft } from './useDraft';

export default function ContentTab() {
  const skill = useSkill();
  const me = useQuery(meQuery).data;
  const navigate = useNavigate();
  const { file: asked } = useSearch({ strict: false });
  const { base, entries, changes, update, discard, send } = useDraft();
  const { edit } = useSkillActions(base);
  const [saving, setSaving] = useState(false);
  const [message, setMessage] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [jump, setJump] = useState<{ file: string; line: number } | null>(null);
  const examined = useExamination(base, entries);
  useUnsavedGuard(changes.length > 0);

  const sorted = inOrder(entries);
  // The address follows a rename a moment later; until then the file stays open by its key.
  const last = useRef<string>(undefined);
  const open =
    sorted.find((entry) => entry.path === asked) ??
    (asked ? sorted.find((entry) => entry.key === last.current) : undefined) ??
    sorted[0];
  last.current = open?.key;
  const show = (path: string) =>
    void navigate({
      to: '/skills/$skillId/content',
      params: { skillId: skill.id },
      search: { file: path === sorted[0]?.path ? undefined : path },
      replace: true,
    });
  const locked = !me || !rightsOf(me, skill).edit;
  const findings =
    error instanceof ApiError && error.findings.length > 0 ? error.findings : examined.result?.findings;

  const put: typeof update = (step) => {
    setError(null);
    update(step);
  };
  const save = async () => {
    setError(null);
    setSaving(true);
    try {
      const { files, settle } = await send();
      const saved = await edit({ files, message, expected_revision: base.revision });
      if (!saved) return;
      await settle(saved.skill.revision);
      setMessage('');
      told(saved.outcome === 'unchanged' ? 'Nothing changed' : `Saved as revision ${saved.skill.revision}`);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setSaving(false);
    }
  };
  const visit = (finding: Schemas['FindingView']) => {
    if (!finding.file) return;
    show(finding.file);
    setJump({ file: finding.file, line: finding.line ?? 1 });
  };

  return (
    <>
      {changes.length > 0 && !saving && <Newer base={base} now={skill} />}
      <Box className={classes.desk}>
        <FileManager
          skill={base}
          entries={sorted}
          open={open?.key}
          changes={changes}
          locked={locked}
          update={put}
          show={show}
        />
        {open && (
          <FilePane
            key={open.key}
            skill={base}
            entry={open}
            locked={locked}
            marks={marksOf(findings ?? [], open.path)}
            jump={jump?.file === open.path ? jump : null}
            update={put}
          />
        )}
      </Box>
      <Group mt="lg" gap="xl" align="flex-start" className={classes.below}>
        <Box component="section" aria-labelledby="findings-title">
          <Title order={2} size="h5" mb="xs" id="findings-title">
            Findings
          </Title>
          {findings && findings.length > 0 ? (
            <Findings of={findings} onOpen={visit} />
          ) : (
            <Text size="sm" c="dimmed">
              {examined.result
                ? 'Nothing to complain about.'
                : examined.error
                  ? messageOf(examined.error)
                  : 'Reading…'}
            </Text>
          )}
        </Box>
        <Box component="section" aria-labelledby="clients-title">
          <Title order={2} size="h5" mb="xs" id="clients-title">
            Who would load it
          </Title>
          {examined.result && <Verdicts of={examined.result.clients} />}
        </Box>
      </Group>
      <SaveBar
        changed={changes.length > 0}
        what={said(changes)}
        message={message}
        onMessage={setMessage}
        onSave={() => void save()}
        onDiscard={() => {
          discard();
          setMessage('');
          setError(null);
        }}
        saving={saving}
        error={error}
      >
        {changes.length > 1 && (
          <Group gap={6} mb={6} visibleFrom="sm">
            {changes.slice(0, 4).map(({ path, kind }) => (
              <Button key={path} size="compact-xs" disabled={kind === 'removed'} onClick={() => show(path)}>
                {kind} {path}
              </Button>
            ))}
          </Group>
        )}
      </SaveBar>
    </>
  );
}

function said(changes: Change[]): string {
  const [only] = changes;
  if (changes.length === 1 && only) return `${only.path} ${only.kind}`;
  return `${counted(changes.length, 'file')} changed, saved as one revision`;
}

function marksOf(findings: Schemas['FindingView'][], path: string): Mark[] {
  return findings
    .filter(({ file }) => file === path)
    .map(({ line, level, message }) => ({
      line: line ?? 1,
      level: level === 'error' || level === 'warning' ? level : 'info',
      message,
    }));
}
