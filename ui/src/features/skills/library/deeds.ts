/** What can be done to many skills at once, and how it is taken back where it can be. */
import { ApiError, api, call, type Schemas } from '@/api/client';
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
  /** Does it; says whether that changed anything. */
  act: (skill: Skill) => Promise<boolean>;
  /** Takes it back. */
  undo?: (skill: Skill) => Promise<unknown>;
  /** Which of them it can bring back to what they were; without it, all. */
  undoable?: (skill: Skill) => boolean;
  /** For whom it makes sense at all. */
  suits: (skill: Skill) => boolean;
};

const at = (skill: Skill) => ({ params: { path: { id: skill.id } } });
const step = async (skill: Skill, word: 'submit' | 'approve' | 'archive' | 'reopen') =>
  (await call(api.POST(`/api/v1/skills/{id}/${word}`, at(skill)))).changed;

/** Reopening makes a draft; what was more than that before is so again. */
async function backFromArchive(skill: Skill): Promise<void> {
  await step(skill, 'reopen');
  if (skill.status === 'active') await approveAsItWas(skill);
  if (skill.status === 'pending_approval') await step(skill, 'submit');
}

/** What is off cannot be approved, so it is on for that moment. */
async function approveAsItWas(skill: Skill): Promise<void> {
  if (!skill.enabled) await switchSkill(skill.id, true);
  try {
    await step(skill, 'approve');
  } finally {
    if (!skill.enabled) await switchSkill(skill.id, false);
  }
}

const bringBack = (skill: Skill) => call(api.POST('/api/v1/skills/{id}/undelete', at(skill)));

export const deeds = {
  enable: {
    word: 'turn on',
    label: 'Turn on',
    doing: 'Turning on',
    done: 'Turned on',
    act: async (skill) => (await switchSkill(skill.id, true)).changed,
    undo: (skill) => switchSkill(skill.id, false),
    suits: (skill) => !skill.enabled,
  },
  disable: {
    word: 'turn off',
    label: 'Turn off',
    doing: 'Turning off',
    done: 'Turned off',
    act: async (skill) => (await switchSkill(skill.id, false)).changed,
    undo: (skill) => switchSkill(skill.id, true),
    suits: (skill) => skill.enabled,
  },
  submit: {
    word: 'submit',
    label: 'Submit for review',
    doing: 'Submitting',
    done: 'Submitted',
    act: (skill) => step(skill, 'submit'),
    suits: (skill) => skill.status === 'draft',
  },
  approve: {
    word: 'approve',
    label: 'Approve',
    doing: 'Approving',
    done: 'Approved',
    act: (skill) => step(skill, 'approve'),
    suits: (skill) => ['draft', 'pending_approval'].includes(skill.status) || Boolean(skill.promotion),
  },
  archive: {
    word: 'archive',
    label: 'Archive',
    doing: 'Archiving',
    done: 'Archived',
    act: (skill) => step(skill, 'archive'),
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
    act: (skill) => step(skill, 'reopen'),
    undo: (skill) => step(skill, 'archive'),
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
      return true;
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
      return true;
    },
    suits: (skill) => Boolean(skill.deleted_at),
  },
} satisfies Record<string, Deed>;

/** The same tag for many: each gets a revision of its own, and its former tags by undo. */
export function tagDeed(tag: string): Deed {
  // What each was before, and the revision that has the tag: undo must not take back what came after it.
  const tagged = new Map<string, { tags: string[]; revision: number }>();
  const write = (skill: Skill, tags: string[], expected_revision: number) =>
    call(
      api.PATCH('/api/v1/skills/{id}', {
        ...at(skill),
        body: { tags, message: `tagged ${tag}`, files: [], expected_revision },
      }),
    );
  const add = async (skill: Skill) => {
    if (skill.tags.includes(tag)) return false;
    const { revision } = (await write(skill, [...skill.tags, tag], skill.revision)).skill;
    tagged.set(skill.id, { tags: skill.tags, revision });
    return true;
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
    undo: async (skill) => {
      const before = tagged.get(skill.id);
      if (before) await write(skill, before.tags, before.revision);
    },
    suits: (skill) => !skill.tags.includes(tag) && skill.origin !== 'provider',
  };
}
