//! Decisions: status, switch and scope.

use app::Code;
use app::skills::{Decision, ListSkills, decide, list, promote, set_enabled};
use model::{
    Approver, Caller, ProceduralMemory, Role, Scope, ScopeKind, Skill, SkillId, Status, TokenScope,
    Transition,
};
use testkit::app::{spec, spec_with};
use testkit::{CallerExt as _, TestApp};

fn step(transition: Transition) -> Decision {
    Decision::new(transition)
}

fn because(transition: Transition, reason: &str) -> Decision {
    Decision { reason: Some(reason.to_owned()), ..Decision::new(transition) }
}

async fn pending(app: &TestApp, author: &Caller, skill: &str) -> Skill {
    let mut request = spec(skill);
    request.scope = Some(Scope::Workspace);
    let skill = app.put(author, request).await.record.skill;
    assert_eq!(skill.status, Status::PendingApproval);
    skill
}

/// Brings a skill of the admin into a status, by steps that exist.
async fn at_status(app: &TestApp, admin: &Caller, status: Status, n: usize) -> SkillId {
    let mut request = spec(&format!("s-{n}"));
    request.draft = status != Status::Active;
    let id = app.put(admin, request).await.record.skill.id;
    let to = match status {
        Status::Draft | Status::Active => return id,
        Status::PendingApproval => Transition::Submit,
        Status::Rejected => Transition::Reject,
        Status::Archived => Transition::Archive,
    };
    assert_eq!(decide(&app.cx, admin, id, step(to)).await.unwrap().record.skill.status, status);
    id
}

#[tokio::test]
async fn the_status_machine_holds_from_every_status() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let mut n = 0;
    for &status in Status::ALL {
        for &transition in Transition::ALL {
            n += 1;
            let id = at_status(&app, &admin, status, n).await;
            match status.after(transition) {
                Err(_) => {
                    let act = decide(&app.cx, &admin, id, step(transition));
                    app.refuses(Code::InvalidTransition, act).await;
                }
                Ok(next) if next == status => {
                    let same = app.leaves_alone(decide(&app.cx, &admin, id, step(transition))).await;
                    assert!(!same.changed && same.record.skill.status == status);
                }
                Ok(next) => {
                    let done = decide(&app.cx, &admin, id, step(transition)).await.unwrap();
                    assert!(done.changed && done.record.skill.status == next, "{status} {transition}");
                    assert_eq!(app.stored(&done.record).await, done.record);
                }
            }
        }
    }
}

#[tokio::test]
async fn approving_an_active_skill_changes_nothing_unless_only_pending_ones_were_meant() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    for decision in [step(Transition::Approve), because(Transition::Approve, "keep it")] {
        assert!(!app.leaves_alone(decide(&app.cx, &alice, id, decision)).await.changed);
    }
    let strict = Decision { only_if_pending: true, ..step(Transition::Approve) };
    app.refuses(Code::NotPending, decide(&app.cx, &alice, id, strict)).await;
}

#[tokio::test]
async fn only_if_pending_lets_a_pending_skill_through() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let id = pending(&app, &alice, "a").await.id;
    let strict = Decision { only_if_pending: true, ..step(Transition::Approve) };
    assert!(decide(&app.cx, &admin, id, strict).await.unwrap().changed);
}

#[tokio::test]
async fn rejected_archived_and_disabled_skills_are_not_approved() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for (n, status) in [Status::Rejected, Status::Archived].into_iter().enumerate() {
        let id = at_status(&app, &admin, status, n).await;
        let error = app
            .refuses(Code::InvalidTransition, decide(&app.cx, &admin, id, step(Transition::Approve)))
            .await;
        assert!(error.to_string().contains("reopen it first"), "{error}");
    }
    for (n, status) in [Status::Draft, Status::PendingApproval, Status::Active].into_iter().enumerate() {
        let id = at_status(&app, &admin, status, n + 10).await;
        set_enabled(&app.cx, &admin, id, false, None).await.unwrap();
        let error = app
            .refuses(Code::InvalidTransition, decide(&app.cx, &admin, id, step(Transition::Approve)))
            .await;
        assert!(error.to_string().contains("enable it first"), "{error}");
    }
}

#[tokio::test]
async fn rejecting_keeps_the_record_with_its_reason() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let skill = pending(&app, &alice, "a").await;
    let done = decide(&app.cx, &admin, skill.id, because(Transition::Reject, " wrong ")).await.unwrap();
    let rejected = done.record.skill;
    assert_eq!((rejected.status, rejected.status_reason.as_deref()), (Status::Rejected, Some("wrong")));
    assert_eq!(
        (rejected.revision, rejected.digest, rejected.updated_by),
        (skill.revision, skill.digest, alice.user)
    );
    assert!(app::skills::read(&app.cx, &alice, skill.id).await.is_ok());
    let again = decide(&app.cx, &admin, skill.id, because(Transition::Reject, "very wrong")).await.unwrap();
    assert_eq!(again.record.skill.status_reason.as_deref(), Some("very wrong"));
    let reopened = decide(&app.cx, &alice, skill.id, step(Transition::Reopen)).await.unwrap().record.skill;
    assert_eq!((reopened.status, reopened.status_reason), (Status::Draft, None));
}

#[tokio::test]
async fn a_decision_moves_neither_revision_nor_author() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let before = pending(&app, &alice, "a").await;
    app.clock.advance(time::Duration::seconds(1));
    let after = decide(&app.cx, &admin, before.id, step(Transition::Approve)).await.unwrap().record.skill;
    assert_eq!(
        (after.revision, after.digest, after.updated_by),
        (before.revision, before.digest, alice.user)
    );
    assert_eq!((after.version, after.updated_at), (before.version + 1, app.now()));
}

#[tokio::test]
async fn a_member_neither_approves_nor_rejects_what_is_shared() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let policy_admin = app.user("paul", &[Role::PolicyAdmin]).await;
    let id = pending(&app, &alice, "a").await.id;
    for caller in [&alice, &bob, &policy_admin] {
        for transition in [Transition::Approve, Transition::Reject] {
            app.refuses(Code::Forbidden, decide(&app.cx, caller, id, step(transition))).await;
        }
    }
    app.refuses(Code::Forbidden, decide(&app.cx, &bob, id, step(Transition::Archive))).await;
    let rita = app.user("rita", &[Role::Reviewer]).await;
    let writer = rita.scoped(&[TokenScope::Read, TokenScope::Write]);
    app.refuses(Code::TokenScope, decide(&app.cx, &writer, id, step(Transition::Approve))).await;
    assert!(decide(&app.cx, &rita, id, step(Transition::Approve)).await.unwrap().changed);
}

#[tokio::test]
async fn the_agent_says_who_may_approve() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[Role::Reviewer]).await, app.user("bob", &[]).await);
    let admin = app.admin().await;
    let table = [
        (Approver::Owner, [true, true, true]),
        (Approver::Admin, [false, true, true]),
        (Approver::TwoPerson, [false, false, true]),
    ];
    for (approver, [by_member_owner, by_reviewing_owner, by_admin]) in table {
        let settings =
            ProceduralMemory { require_skill_approval: true, approver, ..ProceduralMemory::default() };
        let agent = app.agent_with(&format!("a-{}", approver.as_str().replace('_', "-")), settings).await;
        let cases =
            [(&bob, &bob, by_member_owner), (&alice, &alice, by_reviewing_owner), (&bob, &admin, by_admin)];
        for (n, (author, decider, may)) in cases.into_iter().enumerate() {
            let skill = app.skill(&author.through(&agent), &format!("s-{n}")).await.skill;
            assert_eq!(skill.status, Status::PendingApproval);
            let act = decide(&app.cx, decider, skill.id, step(Transition::Approve));
            if may {
                assert_eq!(act.await.unwrap().record.skill.status, Status::Active, "{approver} {n}");
            } else {
                app.refuses(Code::Forbidden, act).await;
            }
        }
    }
}

#[tokio::test]
async fn a_switch_turns_both_ways_and_says_when_it_did_not() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let id = app.skill(&admin, "a").await.skill.id;
    assert!(!app.leaves_alone(set_enabled(&app.cx, &admin, id, true, None)).await.changed);
    let off = set_enabled(&app.cx, &admin, id, false, None).await.unwrap();
    assert!(off.changed && !off.record.skill.is_usable() && off.record.skill.status == Status::Active);
    assert!(set_enabled(&app.cx, &admin, id, true, None).await.unwrap().record.skill.is_usable());
    app.refuses(Code::Forbidden, set_enabled(&app.cx, &alice, id, false, None)).await;
    app.refuses(Code::TokenScope, set_enabled(&app.cx, &admin.scoped(&[TokenScope::Read]), id, false, None))
        .await;
}

#[tokio::test]
async fn a_promotion_is_asked_for_and_granted() {
    let app = TestApp::new().await;
    let (alice, rita) = (app.user("alice", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    let mine = app.skill(&alice, "a").await.skill;
    let asked = promote(&app.cx, &alice, mine.id, ScopeKind::Workspace, None).await.unwrap();
    let skill = &asked.record.skill;
    assert_eq!((skill.scope, skill.promotion), (Scope::User(alice.user), Some(Scope::Workspace)));
    assert!(asked.changed && skill.is_usable());
    assert!(!app.leaves_alone(promote(&app.cx, &alice, mine.id, ScopeKind::Workspace, None)).await.changed);
    let waiting = ListSkills { waiting: true, ..ListSkills::default() };
    assert_eq!(list(&app.cx, &rita, waiting).await.unwrap().0.items[0].skill.id, mine.id);
    app.refuses(Code::Forbidden, decide(&app.cx, &alice, mine.id, step(Transition::Approve))).await;
    let granted = decide(&app.cx, &rita, mine.id, step(Transition::Approve)).await.unwrap();
    let skill = granted.record.skill;
    assert_eq!((skill.scope, skill.promotion, skill.status), (Scope::Workspace, None, Status::Active));
    assert_eq!((skill.id, skill.revision), (mine.id, mine.revision));
    let bob = app.user("bob", &[]).await;
    assert_eq!(app::skills::resolve(&app.cx, &bob, "a").await.unwrap().skill.id, mine.id);
}

#[tokio::test]
async fn a_refused_promotion_leaves_the_skill_where_it_is() {
    let app = TestApp::new().await;
    let (alice, rita) = (app.user("alice", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    let id = app.skill(&alice, "a").await.skill.id;
    promote(&app.cx, &alice, id, ScopeKind::Workspace, None).await.unwrap();
    let refused = decide(&app.cx, &rita, id, because(Transition::Reject, "not for all")).await.unwrap();
    let skill = refused.record.skill;
    assert_eq!((skill.scope, skill.promotion), (Scope::User(alice.user), None));
    assert!(skill.is_usable());
    assert_eq!(skill.status_reason.as_deref(), Some("not for all"));
    let again = promote(&app.cx, &alice, id, ScopeKind::Workspace, None).await.unwrap().record.skill;
    assert_eq!((again.promotion, again.status_reason), (Some(Scope::Workspace), None));
}

#[tokio::test]
async fn what_was_let_in_last_is_known_while_something_else_waits() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let settings =
        ProceduralMemory { require_skill_approval: true, approver: Approver::Admin, ..Default::default() };
    let mine = alice.through(&app.agent_with("strict", settings).await);
    let first = app.skill(&mine, "a").await.skill;
    assert_eq!((first.status, first.approved), (Status::PendingApproval, None));
    let numbers = |skill: Skill| (skill.revision.get(), skill.approved.map(model::RevisionNumber::get));
    let decided = async |decision| decide(&app.cx, &admin, first.id, decision).await.unwrap().record.skill;
    let edited = async |text: &str| {
        let changes = app::Changes { body: Some(text.to_owned()), ..app::Changes::default() };
        let request = app::skills::EditSkill::new(app::skills::Edit::Changes(Box::new(changes)));
        app::skills::edit(&app.cx, &mine, first.id, request).await.unwrap().record.skill
    };
    assert_eq!(numbers(decided(step(Transition::Approve)).await), (1, Some(1)));
    let waits = edited("second").await;
    assert_eq!((waits.status, numbers(waits.clone())), (Status::PendingApproval, (2, Some(1))));
    assert_eq!(
        app.stored(&app::SkillRecord { skill: waits.clone(), statistics: model::Statistics::default() })
            .await
            .skill,
        waits
    );
    assert_eq!(numbers(decided(step(Transition::Reject)).await), (2, Some(1)));
    assert_eq!(numbers(edited("third").await), (3, Some(1)));
    assert_eq!(numbers(decided(step(Transition::Approve)).await), (3, Some(3)));
    assert_eq!(numbers(decided(step(Transition::Archive)).await), (3, Some(3)));
    assert_eq!(numbers(decided(step(Transition::Reopen)).await), (3, Some(3)));
    assert_eq!(numbers(decided(step(Transition::Reject)).await), (3, None));
}

#[tokio::test]
async fn who_reviews_moves_a_skill_at_once() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let agent = app.agent("one").await;
    let id = app.skill(&alice.through(&agent), "a").await.skill.id;
    let moved = promote(&app.cx, &admin, id, ScopeKind::Agent, None).await.unwrap().record.skill;
    assert_eq!((moved.scope, moved.promotion), (Scope::Agent(agent.id), None));
    let moved = promote(&app.cx, &admin, id, ScopeKind::Workspace, None).await.unwrap().record.skill;
    assert_eq!(moved.scope, Scope::Workspace);
}

#[tokio::test]
async fn to_ones_own_wider_scope_nobody_else_is_asked() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice.through(&app.agent("one").await), "a").await.skill.id;
    let moved = promote(&app.cx, &alice, id, ScopeKind::User, None).await.unwrap().record.skill;
    assert_eq!((moved.scope, moved.promotion), (Scope::User(alice.user), None));
}

#[tokio::test]
async fn a_promotion_goes_up_the_ladder_only() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let shared = app.skill(&admin, "shared").await.skill.id;
    let mine = app.skill(&alice, "mine").await.skill.id;
    for (caller, id, to) in [
        (&admin, shared, ScopeKind::Workspace),
        (&admin, shared, ScopeKind::Agent),
        (&admin, shared, ScopeKind::User),
        (&alice, mine, ScopeKind::User),
        (&alice, mine, ScopeKind::Agent),
        (&alice, mine, ScopeKind::AgentUser),
    ] {
        app.refuses(Code::InvalidScope, promote(&app.cx, caller, id, to, None)).await;
    }
}

#[tokio::test]
async fn a_name_taken_above_stops_a_promotion() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    app.skill(&admin, "a").await;
    let id = app.skill(&alice, "a").await.skill.id;
    app.refuses(Code::NameTaken, promote(&app.cx, &admin, id, ScopeKind::Workspace, None)).await;
    promote(&app.cx, &alice, id, ScopeKind::Workspace, None).await.unwrap();
    app.refuses(Code::NameTaken, decide(&app.cx, &admin, id, step(Transition::Approve))).await;
}

#[tokio::test]
async fn a_source_taken_above_stops_a_promotion_with_a_reason() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let mut above = spec("above");
    above.source = Some("/skills/x".into());
    app.put(&admin, above).await;
    let mut below = spec_with("below", |draft| draft.body = "other".into());
    below.source = Some("/skills/x".into());
    let id = app.put(&alice, below).await.record.skill.id;
    let error = app.refuses(Code::NameTaken, promote(&app.cx, &admin, id, ScopeKind::Workspace, None)).await;
    assert!(error.to_string().contains("`above`"), "{error}");
}

#[tokio::test]
async fn a_token_that_cannot_review_asks_instead_of_granting() {
    let app = TestApp::new().await;
    let rita = app.user("rita", &[Role::Reviewer]).await;
    let mut request = spec("a");
    request.scope = Some(Scope::User(rita.user));
    let id = app.put(&rita, request).await.record.skill.id;
    let writer = rita.scoped(&[TokenScope::Read, TokenScope::Write]);
    let asked = promote(&app.cx, &writer, id, ScopeKind::Workspace, None).await.unwrap().record.skill;
    assert_eq!((asked.scope, asked.promotion), (Scope::User(rita.user), Some(Scope::Workspace)));
}

#[tokio::test]
async fn where_two_must_agree_a_reviewer_does_not_promote_their_own_skill_alone() {
    let app = TestApp::new().await;
    let rita = app.user("rita", &[Role::Reviewer]).await;
    let settings = ProceduralMemory { approver: Approver::TwoPerson, ..ProceduralMemory::default() };
    let agent = app.agent_with("careful", settings).await;
    let id = app.skill(&rita.through(&agent), "a").await.skill.id;
    let asked = promote(&app.cx, &rita, id, ScopeKind::Agent, None).await.unwrap().record.skill;
    assert_eq!(asked.promotion, Some(Scope::Agent(agent.id)));
    app.refuses(Code::Forbidden, decide(&app.cx, &rita, id, step(Transition::Approve))).await;
    let granted =
        decide(&app.cx, &app.admin().await, id, step(Transition::Approve)).await.unwrap().record.skill;
    assert_eq!(granted.scope, Scope::Agent(agent.id));
}

#[tokio::test]
async fn archiving_withdraws_a_promotion() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    promote(&app.cx, &alice, id, ScopeKind::Workspace, None).await.unwrap();
    let skill = decide(&app.cx, &alice, id, step(Transition::Archive)).await.unwrap().record.skill;
    assert_eq!((skill.status, skill.promotion), (Status::Archived, None));
}

#[tokio::test]
async fn an_endless_reason_is_refused() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let id = app.skill(&admin, "a").await.skill.id;
    let endless = because(Transition::Archive, &"x".repeat(2_001));
    app.refuses(Code::InvalidRequest, decide(&app.cx, &admin, id, endless)).await;
    let nothing = SkillId::new(admin.user.uuid());
    app.refuses(Code::NotFound, decide(&app.cx, &admin, nothing, step(Transition::Archive))).await;
    app.refuses(Code::NotFound, set_enabled(&app.cx, &admin, nothing, true, None)).await;
    app.refuses(Code::NotFound, promote(&app.cx, &admin, nothing, ScopeKind::Workspace, None)).await;
}

#[tokio::test]
async fn refused_content_comes_in_again_through_a_reviewer_only() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let skill = pending(&app, &alice, "a").await;
    decide(&app.cx, &admin, skill.id, because(Transition::Reject, "wrong")).await.unwrap();
    // Reopened, it cannot be handed in as it is.
    decide(&app.cx, &alice, skill.id, step(Transition::Reopen)).await.unwrap();
    app.refuses(Code::RejectedContent, decide(&app.cx, &alice, skill.id, step(Transition::Submit))).await;
    // Deleted, its content is still known.
    app::skills::delete(&app.cx, &alice, skill.id, None, None).await.unwrap();
    let mut again = spec("a");
    again.scope = Some(Scope::Workspace);
    app.refuses(Code::RejectedContent, app::skills::create(&app.cx, &alice, again.clone(), None)).await;
    // A reviewer who lets it in has changed their mind for everyone.
    let let_in = app.put(&admin, again.clone()).await.record.skill;
    decide(&app.cx, &admin, let_in.id, because(Transition::Reject, "still wrong")).await.unwrap();
    decide(&app.cx, &admin, let_in.id, step(Transition::Reopen)).await.unwrap();
    decide(&app.cx, &admin, let_in.id, step(Transition::Approve)).await.unwrap();
    app::skills::delete(&app.cx, &admin, let_in.id, None, None).await.unwrap();
    app.put(&alice, again).await;
}

#[tokio::test]
async fn an_agent_decides_nothing_in_a_persons_place() {
    let app = TestApp::new().await;
    let agent = app
        .agent_with(
            "helper",
            ProceduralMemory { require_skill_approval: true, ..ProceduralMemory::default() },
        )
        .await;
    let alice = app.user("alice", &[]).await;
    let through = alice.through(&agent);
    let skill = app.put(&through, spec("a")).await.record.skill;
    assert_eq!(skill.status, Status::PendingApproval);
    app.refuses(Code::Forbidden, decide(&app.cx, &through, skill.id, step(Transition::Approve))).await;
    assert!(decide(&app.cx, &alice, skill.id, step(Transition::Approve)).await.unwrap().changed);
}

#[tokio::test]
async fn what_was_learned_is_a_draft_until_someone_confirms_it() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let mut learned = spec("learned");
    learned.origin = Some(model::Origin::Learned);
    assert_eq!(app.put(&admin, learned).await.record.skill.status, Status::Draft);
}
