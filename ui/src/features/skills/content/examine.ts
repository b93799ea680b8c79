/** Asks the server what it finds in files that are not saved. */
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { fetchRaw, type Schemas } from '@/api/client';
import { queryClient } from '@/api/queries';
import type { Skill } from '../useSkill';
import { bytesQuery } from './bytes';
import { type Draft, type Entry, fileRequest, sizeOf } from './draft';

type FileRequest = Schemas['FileRequest'];
type Examination = Schemas['ValidationView'];

/** What is larger is only there by name: findings speak of texts, and typing must stay quick. */
const LARGEST = 256 * 1024;
const TOGETHER = 2 * 1024 * 1024;

export async function examine(
  files: FileRequest[],
  folder: string | undefined,
  signal?: AbortSignal,
): Promise<Examination> {
  const answer = await fetchRaw('/api/v1/skills/validate', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ files, folder }),
    signal,
  });
  return answer.json();
}

async function shortened(base: Skill, draft: Draft): Promise<FileRequest[]> {
  let room = TOGETHER;
  const requests: FileRequest[] = [];
  for (const entry of draft) {
    const size = sizeOf(entry);
    if (size > LARGEST || size > room) {
      requests.push({ path: entry.path, executable: entry.executable, content: '' });
      continue;
    }
    room -= size;
    requests.push(
      await fileRequest(entry, (file) => queryClient.fetchQuery(bytesQuery(base.id, base.revision, file))),
    );
  }
  return requests;
}

/** The findings and verdicts of a draft, some moments after each change; the former ones stay until then. */
export function useExamination(base: Skill, draft: Draft) {
  const [state, setState] = useState<{ result?: Examination; error?: unknown }>({});
  // The list is made anew with each render while nothing is changed; what it says is not.
  const stamp = draft.map(({ key, path, executable, content }) => [key, path, executable, stampOf(content)]);
  const [settled] = useDebouncedValue(JSON.stringify([base.digest, stamp]), 350);

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when what it says has settled
  useEffect(() => {
    const ending = new AbortController();
    shortened(base, draft)
      .then((files) => examine(files, base.name, ending.signal))
      .then(
        (result) => setState({ result }),
        (error) => {
          if (!ending.signal.aborted) setState((former) => ({ ...former, error }));
        },
      );
    return () => ending.abort();
  }, [settled]);
  return state;
}

function stampOf(content: Entry['content']): string | number | null {
  if (content === undefined) return null;
  return typeof content === 'string' ? content : content.length;
}
