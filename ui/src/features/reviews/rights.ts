/**
 * What a person may do about a skill that waits, by the server's own rules, so that a button says beforehand what the
 * server would say afterwards. The server still decides.
 */
import type { Schemas } from '@/api/client';
import { administers, reviews } from '@/components/roles';

type User = Pick<Schemas['UserView'], 'id' | 'roles' | 'operator'>;
export type ReviewedSkill = Pick<
  Schemas['SkillView'],
  | 'scope'
  | 'promotion'
  | 'status'
  | 'enabled'
  | 'facets'
  | 'created_by'
  | 'updated_by'
  | 'origin'
  | 'revision'
>;

/** Why something cannot be done; null where it can. */
export type Refusal = string | null;

export type Rights = {
  approve: Refusal;
  reject: Refusal;
  submit: Refusal;
  discard: Refusal;
  promote: Refusal;
  edit: Refusal;
};

const unreviewed = (status: string) => ['draft', 'pending_approval', 'rejected'].includes(status);

/** Whether a skill that waits is this person's business. */
export function concerns(me: User, skill: Pick<ReviewedSkill, 'scope' | 'created_by'>): boolean {
  return reviews(me) || skill.scope.user_id === me.id || (!skill.scope.user_id && skill.created_by === me.id);
}

export function rightsOf(me: User, skill: ReviewedSkill, approver = 'owner'): Rights {
  const owner = skill.scope.user_id === me.id;
  const policy: Refusal =
    skill.facets.includes('policy') && !me.roles.includes('policy_admin')
      ? 'It has a policy: this needs the role policy_admin'
      : null;
  const own = owner || (!skill.scope.user_id && skill.created_by === me.id && unreviewed(skill.status));
  const edit: Refusal =
    skill.origin === 'provider'
      ? 'It comes with a provider and cannot be changed here'
      : own || administers(me) || (!skill.scope.user_id && reviews(me))
        ? null
        : 'It belongs to someone else';
  return {
    approve: !skill.enabled
      ? 'It is switched off: enable it first'
      : (policy ?? approval(me, skill, approver)),
    reject: reviews(me) ? null : 'This needs the role reviewer or admin',
    submit: skill.status === 'draft' ? edit : 'Only a draft is handed in',
    discard: policy ?? (own || administers(me) ? null : 'It belongs to someone else'),
    promote:
      policy ??
      (owner || (!skill.scope.user_id && skill.created_by === me.id) || reviews(me)
        ? null
        : 'It belongs to someone else'),
    edit,
  };
}

function approval(me: User, skill: ReviewedSkill, approver: string): Refusal {
  if (skill.scope.user_id === me.id && approver === 'owner' && !skill.promotion) return null;
  if (!reviews(me)) return 'This needs the role reviewer or admin';
  if (approver === 'two_person' && skill.updated_by === me.id)
    return 'You wrote this revision: another reviewer must approve it';
  return null;
}

/** What waits: a person reads this first. */
export function whatWaits(skill: Pick<ReviewedSkill, 'status' | 'promotion' | 'revision'>): string {
  if (skill.status === 'draft') return skill.promotion ? 'Draft, promotion asked for' : 'Draft';
  if (skill.status === 'pending_approval') return skill.revision > 1 ? 'Edit' : 'New skill';
  return 'Promotion';
}
