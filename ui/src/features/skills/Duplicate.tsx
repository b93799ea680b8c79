/** Makes a skill of one's own from another: the same files under another name. */
import { Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, call } from '@/api/client';
import { meQuery, refresh } from '@/api/queries';
import { FormButtons } from '@/components/FormButtons';
import { told } from '@/components/feedback';
import { Failure } from '@/components/page';
import { useBusy } from '@/components/useBusy';
import { readBytes } from './content/bytes';
import { toBase64 } from './content/text';
import { isWhole, type Scope, ScopeField, scopeBody } from './scopes';
import type { Skill } from './useSkill';

type Props = { skill: Skill; open: (id: string) => Promise<void> };

export function DuplicateForm({ skill, open }: Props) {
  const me = useQuery(meQuery).data?.user.id ?? null;
  const [name, setName] = useState(`${skill.name}-copy`.slice(0, 64));
  const [scope, setScope] = useState<Scope>({ kind: 'user', agent: null, user: me });
  const [error, setError] = useState<unknown>(null);
  const { busy, doing } = useBusy(setError);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void doing(async () => {
      const files = await Promise.all(
        skill.files.map(async ({ path, executable }) => {
          const bytes = await readBytes(skill.id, skill.revision, path);
          const content = path.toLowerCase() === 'skill.md' ? renamed(bytes, skill.name, name) : bytes;
          return { path, executable, content_base64: toBase64(content) };
        }),
      );
      const answer = await call(
        api.POST('/api/v1/skills', {
          body: { name, files, draft: true, message: `duplicate of ${skill.name}`, ...scopeBody(scope) },
        }),
      );
      await refresh('skills');
      modals.close('duplicate');
      told(`Duplicated as ${answer.skill.name}, a draft`);
      await open(answer.skill.id);
    });
  };

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          A draft with all files of revision {skill.revision}. Its history begins anew.
        </Text>
        <TextInput
          data-autofocus
          required
          label="Name"
          description="Lower-case words with hyphens"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ScopeField value={scope} onChange={setScope} />
        {error !== null && <Failure error={error} />}
        <FormButtons
          onCancel={() => modals.close('duplicate')}
          loading={busy}
          disabled={!name.trim() || !isWhole(scope)}
        >
          Duplicate
        </FormButtons>
      </Stack>
    </form>
  );
}

/** The frontmatter's name follows the new one, so that other clients agree on it. */
function renamed(bytes: Uint8Array, before: string, after: string): Uint8Array {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const end = text.indexOf('\n---', 3);
  const line = new RegExp(`^name:[ \\t]*["']?${before}["']?[ \\t]*(\\r?)$`, 'm');
  if (!text.startsWith('---') || end < 0 || !line.test(text.slice(0, end))) return bytes;
  return new TextEncoder().encode(text.slice(0, end).replace(line, `name: ${after}$1`) + text.slice(end));
}
