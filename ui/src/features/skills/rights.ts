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
  approve: boolean;
  reject: boolean;
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
  const policyAdmin = me.user.roles.includes('policy_admin');
  const governed = skill.facets.includes('policy') && !policyAdmin;
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
    approve: !governed && approves(me, skill, approverOf(agent)),
    // Refusing what waits takes a reviewer; refusing a policy that is in force ends it.
    reject: reviewer && (policyAdmin || skill.enforced_revision !== skill.revision),
    archive: !governed && edits,
    remove: !governed && (own || early || admin),
    promote: !governed && !provided && (own || author || reviewer),
    grant: reviewer,
  };
}

function approverOf(agent: Schemas['AgentView'] | undefined): string {
  const memory = agent?.procedural_memory;
  return memory?.enabled ? memory.approver : 'owner';
}

function approves(me: Me, skill: Skill, approver: string): boolean {
  if (skill.scope.user_id === me.user.id && approver === 'owner' && !skill.promotion) return true;
  return reviews(me.user) && !(approver === 'two_person' && skill.updated_by === me.user.id);
}

function whyNot(provided: boolean, owner: string | null): string {
  if (provided) return 'This skill comes with a provider and cannot be changed here.';
  if (owner) return 'This skill belongs to somebody else; only they and admins can change it.';
  return 'This skill is shared: reviewers change it. Duplicate it into your own scope to work on it.';
}
