/** The files that are being worked on, on the revision they were opened on. */
import { useState } from 'react';
import { queryClient } from '@/api/queries';
import { type Skill, savedSkill, useSkill } from '../useSkill';
import { bytesQuery } from './bytes';
import { begin, changesOf, type Draft, type Keys, keysOf, rebase, requestOf } from './draft';
import { asLines, textOf } from './text';

/** One state, so that what is typed while a save ends is put onto the revision that came of it. */
type State = { base: Skill; draft: Draft | null; keys: Keys };

export function useDraft() {
  const skill = useSkill();
  const [held, setState] = useState<State>({ base: skill, draft: null, keys: new Map() });
  const state = follow(held, skill);
  if (state !== held) setState(state);
  const { base, draft } = state;
  const entries = entriesOf(state);

  const update = (step: (draft: Draft) => Draft) =>
    setState((now) => {
      const next = step(entriesOf(now));
      return { ...now, draft: changesOf(now.base.files, next).length === 0 ? null : next };
    });

  /** What stands here, as a request; and the way to go on from it once it is saved. */
  const send = async () => {
    const sent = entries;
    const files = await requestOf(base.files, sent, (file) =>
      queryClient.fetchQuery(bytesQuery(base.id, base.revision, file)),
    );
    const settle = async (revision: number) => {
      const saved = await savedSkill({ id: base.id, revision });
      const texts = await textsOf(saved, base, sent);
      setState((now) => {
        const next = rebase(entriesOf(now), sent, saved.files, ({ digest }) => texts.get(digest) ?? null);
        const changed = changesOf(saved.files, next).length > 0;
        return { base: saved, draft: changed ? next : null, keys: keysOf(next) };
      });
    };
    return { files, settle };
  };

  return {
    base,
    entries,
    changes: draft ? changesOf(base.files, draft) : [],
    update,
    discard: () => setState((now) => ({ ...now, draft: null })),
    send,
  };
}

function entriesOf({ base, draft, keys }: State): Draft {
  return draft ?? begin(base.files, keys);
}

/** Where nothing is changed, what others save simply shows. */
function follow(state: State, skill: Skill): State {
  // Right after a save the editor may know a newer version than the page around it.
  if (state.draft || state.base === skill || skill.version < state.base.version) return state;
  return { ...state, base: skill };
}

/** What was written, read again as the server has it, so that it is there when the editor shows it. */
async function textsOf(saved: Skill, base: Skill, sent: Draft): Promise<Map<string, string | null>> {
  const before = new Set(base.files.map(({ digest }) => digest));
  const written = new Set(sent.filter(({ content }) => typeof content === 'string').map(({ path }) => path));
  const fresh = saved.files.filter(({ path, digest }) => written.has(path) && !before.has(digest));
  const read = fresh.map(async (file): Promise<[string, string | null]> => {
    const bytes = await queryClient
      .fetchQuery(bytesQuery(saved.id, saved.revision, file))
      // It is saved all the same; the editor reads it again and says what is wrong.
      .catch(() => null);
    const text = bytes && textOf(bytes);
    return [file.digest, text === null ? null : asLines(text)];
  });
  return new Map(await Promise.all(read));
}
