/** What can be done to many skills at once, and how it is taken back where it can be. */
import { ApiError, api, call, ifMatch, type Schemas } from '@/api/client';
import { switchSkill } from './cache';

type Skill = Schemas['SkillView'];

export type Deed = {
  word: string;
  /** On the button. */
  label: string;
  /** While it goes on. */
  doing: string;
  /** Afterwards. */
  done: string;
  /** Does it; gives the skill as it is then, null where nothing changed. */
  act: (skill: Skill) => Promise<Skill | null>;
  /** Takes it back: what it was before, and what the deed made of it. */
  undo?: (skill: Skill, made: Skill) => Promise<unknown>;
  /** Which of them it can bring back to what they were; without it, all. */
  undoable?: (skill: Skill) => boolean;
  /** For whom it makes sense at all. */
  suits: (skill: Skill) => boolean;
};

const at = (skill: Skill) => ({ params: { path: { id: skill.id } } });

type Step = 'submit' | 'approve' | 'archive' | 'reopen';

/** Each step names the version that it is about: what somebody wrote meanwhile is not approved unseen. */
const take = (skill: Skill, word: Step) =>
  call(api.POST(`/api/v1/skills/{id}/${word}`, { ...at(skill), headers: ifMatch(skill.version) }));

type Reviewed = Schemas['ReviewedView'];
const changedBy = ({ changed, skill }: Reviewed): Skill | null => (changed ? skill : null);
const step = (word: Step) => async (skill: Skill) => changedBy(await take(skill, word));

/** Reopening makes a draft; what was more than that before is so again. */
async function backFromArchive(skill: Skill, archived: Skill): Promise<void> {
  const { skill: draft } = await take(archived, 'reopen');
  if (skill.status === 'active') await approveAsItWas(draft, skill.enabled);
  if (skill.status === 'pending_approval') await take(draft, 'submit');
}

/** What is off cannot be approved, so it is on for that moment. */
async function approveAsItWas(draft: Skill, enabled: boolean): Promise<void> {
  const on = enabled ? draft : (await switchSkill(draft.id, true)).skill;
  try {
    // The switch answers with whatever there is by then.
    if (on.revision !== draft.revision) throw new Error('somebody changed it in between: look at it again');
    await take(on, 'approve');
  } finally {
    if (!enabled) await switchSkill(draft.id, false);
  }
}

const bringBack = (skill: Skill) => call(api.POST('/api/v1/skills/{id}/undelete', at(skill)));

export const deeds = {
  enable: {
    word: 'turn on',
    label: 'Turn on',
    doing: 'Turning on',
    done: 'Turned on',
    act: async (skill) => changedBy(await switchSkill(skill.id, true)),
    undo: (skill) => switchSkill(skill.id, false),
    suits: (skill) => !skill.enabled,
  },
  disable: {
    word: 'turn off',
    label: 'Turn off',
    doing: 'Turning off',
    done: 'Turned off',
    act: async (skill) => changedBy(await switchSkill(skill.id, false)),
    undo: (skill) => switchSkill(skill.id, true),
    suits: (skill) => skill.enabled,
  },
  submit: {
    word: 'submit',
    label: 'Submit for review',
    doing: 'Submitting',
    done: 'Submitted',
    act: step('submit'),
    suits: (skill) => skill.status === 'draft',
  },
  approve: {
    word: 'approve',
    label: 'Approve',
    doing: 'Approving',
    done: 'Approved',
    act: step('approve'),
    suits: (skill) => ['draft', 'pending_approval'].includes(skill.status) || Boolean(skill.promotion),
  },
  archive: {
    word: 'archive',
    label: 'Archive',
    doing: 'Archiving',
    done: 'Archived',
    act: step('archive'),
    undo: backFromArchive,
    // The archive forgets that it was rejected, and that a promotion was asked for.
    undoable: (skill) => skill.status !== 'rejected' && !skill.promotion,
    suits: (skill) => skill.status !== 'archived',
  },
  reopen: {
    word: 'reopen',
    label: 'Reopen as drafts',
    doing: 'Reopening',
    done: 'Reopened',
    act: step('reopen'),
    undo: (_, draft) => take(draft, 'archive'),
    undoable: (skill) => skill.status === 'archived',
    suits: (skill) => ['archived', 'rejected'].includes(skill.status),
  },
  remove: {
    word: 'delete',
    label: 'Delete',
    doing: 'Deleting',
    done: 'Deleted',
    act: async (skill) => {
      await call(api.DELETE('/api/v1/skills/{id}', at(skill)));
      return skill;
    },
    undo: bringBack,
    suits: (skill) => !skill.deleted_at,
  },
  bringBack: {
    word: 'bring back',
    label: 'Bring back',
    doing: 'Bringing back',
    done: 'Brought back',
    act: async (skill) => {
      await bringBack(skill);
      return skill;
    },
    suits: (skill) => Boolean(skill.deleted_at),
  },
} satisfies Record<string, Deed>;

/** The same tag for many: each gets a revision of its own, and its former tags by undo. */
export function tagDeed(tag: string): Deed {
  // What each was before: somebody may have changed it since it was chosen.
  const before = new Map<string, string[]>();
  const write = async (skill: Skill, tags: string[]) =>
    (
      await call(
        api.PATCH('/api/v1/skills/{id}', {
          ...at(skill),
          body: { tags, message: `tagged ${tag}`, files: [], expected_revision: skill.revision },
        }),
      )
    ).skill;
  const add = async (skill: Skill) => {
    if (skill.tags.includes(tag)) return null;
    before.set(skill.id, skill.tags);
    return await write(skill, [...skill.tags, tag]);
  };
  return {
    word: 'tag',
    label: 'Add a tag',
    doing: 'Tagging',
    done: `Tagged “${tag}”:`,
    act: async (skill) => {
      try {
        return await add(skill);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'stale_revision') throw error;
        // Somebody changed it since it was chosen: the tag comes to what they made of it.
        return await add(await call(api.GET('/api/v1/skills/{id}', at(skill))));
      }
    },
    // It rests on the revision that has the tag: what came after it is not taken back.
    undo: (skill, tagged) => write(tagged, before.get(skill.id) ?? skill.tags),
    suits: (skill) => !skill.tags.includes(tag) && skill.origin !== 'provider',
  };
}
