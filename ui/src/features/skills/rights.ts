/**
 * What a person may do with a skill, so that the page offers nothing that would be refused. The server decides; this
 * follows its rules (the `access` module of the `policy` crate).
 */
import type { Schemas } from '@/api/client';
import { administers, reviews } from '@/components/roles';

type Me = Schemas['MeView'];
type Skill = Schemas['SkillView'];

export type Rights = {
  edit: boolean;
  /** Why it cannot be edited, in words. */
  why: string | null;
  switch: boolean;
  /** Approve and reject. */
  review: boolean;
  archive: boolean;
  remove: boolean;
  promote: boolean;
  /** Widen a scope without asking anybody. */
  grant: boolean;
};

const unreviewed = ['draft', 'pending_approval', 'rejected'];

/** `agent` is the agent of the skill's scope, which may want others than the owner to approve. */
export function rightsOf(me: Me, skill: Skill, agent?: Schemas['AgentView']): Rights {
  const admin = administers(me.user);
  const reviewer = reviews(me.user);
  const governed = skill.facets.includes('policy') && !me.user.roles.includes('policy_admin');
  const owner = skill.scope.user_id ?? null;
  const own = owner === me.user.id;
  const author = owner === null && skill.created_by === me.user.id;
  const early = author && unreviewed.includes(skill.status);
  const provided = skill.origin === 'provider';

  const edits = !provided && (own || (owner ? admin : reviewer || early));
  return {
    edit: edits,
    why: edits ? null : whyNot(provided, owner),
    switch: !governed && (own || (owner ? admin : reviewer)),
    review: !governed && (reviewer || (own && !skill.promotion && ownerApproves(agent))),
    archive: !governed && edits,
    remove: !governed && (own || early || admin),
    promote: !governed && !provided && (own || author || reviewer),
    grant: reviewer,
  };
}

function ownerApproves(agent: Schemas['AgentView'] | undefined): boolean {
  const memory = agent?.procedural_memory;
  return !memory?.enabled || memory.approver === 'owner';
}

function whyNot(provided: boolean, owner: string | null): string {
  if (provided) return 'This skill comes with a provider and cannot be changed here.';
  if (owner) return 'This skill belongs to somebody else; only they and admins can change it.';
  return 'This skill is shared: reviewers change it. Duplicate it into your own scope to work on it.';
}
