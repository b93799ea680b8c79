/** The draft of an agent: what was typed, on which stored version it stands, and what happens when that has moved on. */
import { useEffect, useMemo, useState } from 'react';
import { ApiError, api, call, ifMatch, messageOf } from '@/api/client';
import { queryClient, refresh } from '@/api/queries';
import { told } from '@/components/feedback';
import { nameProblem } from '@/components/slug';
import { useUnsavedGuard } from '@/components/unsaved';
import { type Agent, type AgentDraft, differing, draftOf, rebased, requestOf, same } from './draft';

export type AgentEditing = ReturnType<typeof useAgentDraft>;

export function useAgentDraft(agent: Agent) {
  const [base, setBase] = useState(agent);
  const [draft, setDraft] = useState(() => draftOf(agent));
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [taken, setTaken] = useState<string>();
  const stored = useMemo(() => draftOf(base), [base]);
  const changed = !same(draft, stored);
  useUnsavedGuard(changed);

  // Where nothing was typed, what others save simply shows.
  useEffect(() => {
    if (agent.version !== base.version && !changed && !saving) {
      setBase(agent);
      setDraft(draftOf(agent));
    }
  }, [agent, base.version, changed, saving]);

  const behind = agent.version > base.version && changed;

  const save = async () => {
    const problem = behind
      ? 'somebody else changed this agent; choose above what to keep'
      : nameProblem(draft.name);
    if (problem) return setError(new Error(problem));
    setSaving(true);
    setError(null);
    try {
      const now = await call(
        api.PUT('/api/v1/agents/{id}', {
          params: { path: { id: agent.id } },
          headers: ifMatch(base.version),
          body: requestOf(draft),
        }),
      );
      queryClient.setQueryData(['agents', 'one', agent.id], now);
      setBase(now);
      // What was typed meanwhile is not saved yet.
      setDraft((latest) => rebased(latest, draft, draftOf(now)));
      setTaken(undefined);
      told('Saved');
      await refresh('agents');
    } catch (error) {
      if (error instanceof ApiError && error.code === 'precondition_failed') {
        // The newer version is read; the note above the tabs then says what to do.
        await queryClient.refetchQueries({ queryKey: ['agents', 'one', agent.id] });
      } else if (error instanceof ApiError && error.code === 'name_taken') {
        setTaken(messageOf(error));
        setError(error);
      } else {
        setError(error);
      }
    } finally {
      setSaving(false);
    }
  };

  const stand = (on: Agent, next: AgentDraft) => {
    setBase(on);
    setDraft(next);
    setError(null);
  };

  return {
    draft,
    changed,
    saving,
    /** Why the last save failed. */
    error,
    behind,
    /** What others changed since the draft was begun, in words. */
    theirs: behind ? differing(stored, draftOf(agent)) : [],
    nameProblem: nameProblem(draft.name) ?? taken ?? null,
    change: (part: Partial<AgentDraft>) => {
      setError(null);
      if (part.name !== undefined) setTaken(undefined);
      setDraft((before) => ({ ...before, ...part }));
    },
    save,
    discard: () => stand(agent, draftOf(agent)),
    /** Keeps what I changed, and takes the rest from what others saved. */
    keepMine: () => stand(agent, rebased(draft, stored, draftOf(agent))),
  };
}
