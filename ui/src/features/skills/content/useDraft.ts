/** The files that are being worked on, on the revision they were opened on. */
import { useState } from 'react';
import { queryClient } from '@/api/queries';
import { useBase } from '../useBase';
import { useSkill } from '../useSkill';
import { bytesQuery } from './bytes';
import { begin, changesOf, type Draft, requestOf } from './draft';

export function useDraft() {
  const skill = useSkill();
  const [draft, setDraft] = useState<Draft | null>(null);
  const base = useBase(skill, draft !== null);
  const entries = draft ?? begin(base.files);
  const update = (step: (draft: Draft) => Draft) => {
    setDraft((now) => {
      const next = step(now ?? begin(base.files));
      return changesOf(base.files, next).length === 0 ? null : next;
    });
  };
  return {
    base,
    entries,
    changes: draft ? changesOf(base.files, draft) : [],
    update,
    discard: () => setDraft(null),
    request: () =>
      requestOf(base.files, entries, (file) =>
        queryClient.fetchQuery(bytesQuery(base.id, base.revision, file)),
      ),
  };
}
