//! Skills: storing, finding, changing, removing.

use std::sync::Arc;

use model::{
    Assignment, Digest, Facets, Feedback, Origin, Provenance, Scope, SessionId, Skill, Statistics, Status,
};
use time::Duration;

use super::World;
use super::samples::{self, moment, name, number};
use crate::{SkillFilter, Store, StoreError, Visibility, Written};

/// A skill with every optional field filled in.
async fn full(world: &World) -> Skill {
    let agent = world.add_agent("full-agent").await.id;
    let mut skill = world.skill("full");
    skill.scope = Scope::AgentUser(agent, world.bob);
    skill.promotion = Some(Scope::Agent(agent));
    skill.origin = Origin::Imported;
    skill.status = Status::Rejected;
    skill.status_reason = Some("too vague".to_owned());
    skill.enabled = false;
    skill.revision = number(41);
    skill.version = 17;
    skill.icon = Some("rocket".to_owned());
    skill.tags = vec!["zeta".to_owned(), "alpha".to_owned(), "with, comma \"and\" quotes".to_owned()];
    skill.example_prompts = vec!["Do it".to_owned(), "Mach's".to_owned()];
    skill.suggested_tools = vec!["bash".to_owned()];
    skill.extends = Some("base".to_owned());
    skill.facets = Facets { instructions: false, procedure: true, policy: true };
    skill.enforced = Some(number(40));
    skill.approved = Some(number(41));
    skill.provenance = Provenance {
        user: world.bob,
        agent: Some(agent),
        session: Some(SessionId::new(samples::skill_id().uuid())),
        source: Some("folder/skill".to_owned()),
    };
    skill.updated_at = moment(40);
    skill.updated_by = world.bob;
    skill
}

pub async fn a_skill_comes_back_as_it_was_stored(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("plain");
    world.add(&[&skill]).await;
    let record = world.stored(skill.id).await.unwrap();
    assert_eq!(record.skill, skill);
    assert_eq!(record.statistics, Statistics::default());
    assert_eq!(world.stored(samples::skill_id()).await, None);
}

pub async fn a_full_skill_comes_back_as_it_was_stored(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = full(&world).await;
    world.add(&[&skill]).await;
    assert_eq!(world.stored(skill.id).await.unwrap().skill, skill);
    for promotion in [Scope::User(world.bob), Scope::Workspace] {
        let mut skill = world.skill(&format!("to-{}", promotion.kind().as_str().replace('_', "-")));
        skill.promotion = Some(promotion);
        skill.deleted_at = Some(moment(50));
        world.add(&[&skill]).await;
        assert_eq!(world.stored(skill.id).await.unwrap().skill, skill);
    }
}

pub async fn duplicate_name_in_a_scope_is_refused_and_the_transaction_goes_on(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let first = world.skill("taken");
    let mut second = world.skill("taken");
    second.tags = vec!["never".to_owned()];
    let mut tx = world.begin().await;
    assert!(tx.insert_skill(&first).await.unwrap());
    assert!(!tx.insert_skill(&second).await.unwrap());
    assert!(tx.insert_skill(&world.skill("free")).await.unwrap());
    tx.append_audit(world.workspace, samples::audit_entry("skill.create", "free")).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.found(SkillFilter::default()).await, ["free", "taken"]);
    assert_eq!(world.stored(first.id).await.unwrap().skill, first);
    assert_eq!(world.read().await.tags(world.workspace, Visibility::All).await.unwrap(), []);
}

pub async fn the_same_name_may_stand_in_every_other_scope(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (one, two) = (world.add_agent("one").await.id, world.add_agent("two").await.id);
    let scopes = [
        Scope::Workspace,
        Scope::Agent(one),
        Scope::Agent(two),
        Scope::User(world.ada),
        Scope::User(world.bob),
        Scope::AgentUser(one, world.ada),
        Scope::AgentUser(one, world.bob),
        Scope::AgentUser(two, world.ada),
    ];
    let mut tx = world.begin().await;
    for scope in scopes {
        for expected in [true, false] {
            let skill = Skill { scope, ..world.skill("same") };
            assert_eq!(tx.insert_skill(&skill).await.unwrap(), expected, "{scope:?}");
        }
    }
    tx.commit().await.unwrap();
    assert_eq!(world.found(SkillFilter::default()).await.len(), scopes.len());
}

pub async fn the_same_name_may_stand_in_another_workspace(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    let (here, there) = (world.skill("same"), samples::skill(other, world.ada, "same"));
    world.add(&[&here]).await;
    world.add(&[&there]).await;
    let mut tx = world.read().await;
    for (workspace, skill) in [(world.workspace, here), (other, there)] {
        let found = tx.skill_named(workspace, Scope::Workspace, &name("same")).await.unwrap().unwrap();
        assert_eq!(found.skill, skill);
    }
}

fn imported(world: &World, called: &str, scope: Scope, source: &str) -> Skill {
    let mut skill = Skill { scope, ..world.skill(called) };
    skill.provenance.source = Some(source.to_owned());
    skill
}

pub async fn a_source_is_imported_once_a_scope(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mut tx = world.begin().await;
    let mine = Scope::User(world.ada);
    assert!(tx.insert_skill(&imported(&world, "a", Scope::Workspace, "src")).await.unwrap());
    assert!(!tx.insert_skill(&imported(&world, "b", Scope::Workspace, "src")).await.unwrap());
    assert!(tx.insert_skill(&imported(&world, "b", Scope::Workspace, "src2")).await.unwrap());
    assert!(tx.insert_skill(&imported(&world, "a", mine, "src")).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(world.found(SkillFilter::default()).await, ["a", "a", "b"]);
}

pub async fn skills_without_a_source_do_not_clash(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    world.add(&[&world.skill("a"), &world.skill("b")]).await;
    assert_eq!(world.found(SkillFilter::default()).await, ["a", "b"]);
}

pub async fn a_skill_is_found_by_name_in_its_very_scope_only(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let agent = world.add_agent("agent").await.id;
    let scope = Scope::AgentUser(agent, world.ada);
    let skill = Skill { scope, ..world.skill("mine") };
    world.add(&[&skill]).await;
    let mut tx = world.read().await;
    let found = tx.skill_named(world.workspace, scope, &skill.name).await.unwrap();
    assert_eq!(found.unwrap().skill, skill);
    for other in
        [Scope::Workspace, Scope::Agent(agent), Scope::User(world.ada), Scope::AgentUser(agent, world.bob)]
    {
        assert_eq!(tx.skill_named(world.workspace, other, &skill.name).await.unwrap(), None);
    }
    assert_eq!(tx.skill_named(world.workspace, scope, &name("other")).await.unwrap(), None);
}

pub async fn a_skill_is_found_by_source_in_its_very_scope_only(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = imported(&world, "mine", Scope::Workspace, "folder/ä b");
    world.add(&[&skill]).await;
    let mut tx = world.read().await;
    let found = tx.skill_from_source(world.workspace, Scope::Workspace, "folder/ä b").await.unwrap();
    assert_eq!(found.unwrap().skill, skill);
    let mine = Scope::User(world.ada);
    assert_eq!(tx.skill_from_source(world.workspace, mine, "folder/ä b").await.unwrap(), None);
    assert_eq!(tx.skill_from_source(world.workspace, Scope::Workspace, "folder").await.unwrap(), None);
}

pub async fn stale_version_changes_nothing(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mut skill = world.skill("skill");
    skill.version = 5;
    skill.tags = vec!["kept".to_owned()];
    world.add(&[&skill]).await;
    for version in [0, 1, 4, 5, 7] {
        let mut stale = Skill { version, ..skill.clone() };
        stale.title = "Never".to_owned();
        stale.tags = vec!["never".to_owned()];
        assert_eq!(world.update(&stale).await, Written::Stale, "{version}");
    }
    let unknown = Skill { version: 2, ..world.skill("unknown") };
    assert_eq!(world.update(&unknown).await, Written::Stale);
    assert_eq!(world.stored(skill.id).await.unwrap().skill, skill);
    let tags = world.read().await.tags(world.workspace, Visibility::All).await.unwrap();
    assert_eq!(tags, [("kept".to_owned(), 1)]);
}

pub async fn an_update_replaces_every_field(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let plain = Skill { tags: vec!["old".to_owned()], ..world.skill("plain") };
    let untouched = world.skill("untouched");
    world.add(&[&plain, &untouched]).await;
    let mut changed = Skill { id: plain.id, version: 2, ..full(&world).await };
    assert_eq!(world.update(&changed).await, Written::Done);
    assert_eq!(world.stored(plain.id).await.unwrap().skill, changed);
    changed = Skill { version: 3, ..plain.clone() };
    assert_eq!(world.update(&changed).await, Written::Done);
    assert_eq!(world.stored(plain.id).await.unwrap().skill, changed);
    let tags = world.read().await.tags(world.workspace, Visibility::All).await.unwrap();
    assert_eq!(tags, [("old".to_owned(), 1)]);
    assert_eq!(
        world.found(SkillFilter { words: vec!["full".to_owned()], ..SkillFilter::default() }).await.len(),
        0
    );
    assert_eq!(world.stored(untouched.id).await.unwrap().skill, untouched);
}

pub async fn renaming_onto_a_taken_name_is_a_conflict(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (first, second) = (world.skill("first"), world.skill("second"));
    world.add(&[&first, &second]).await;
    let renamed = Skill { name: name("first"), version: 2, ..second.clone() };
    let refused = world.begin().await.update_skill(&renamed).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    assert_eq!(world.stored(second.id).await.unwrap().skill, second);
}

pub async fn a_skill_of_an_unknown_agent_is_a_conflict(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = Skill { scope: Scope::Agent(samples::agent_id()), ..world.skill("skill") };
    let refused = world.begin().await.insert_skill(&skill).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
}

pub async fn soft_delete_frees_name_and_source(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let old = imported(&world, "same", Scope::Workspace, "src");
    let new = imported(&world, "same", Scope::Workspace, "src");
    world.add(&[&old]).await;
    let deleted = Skill { version: 2, deleted_at: Some(moment(9)), ..old };
    assert_eq!(world.update(&deleted).await, Written::Done);
    let mut tx = world.read().await;
    assert_eq!(tx.skill_named(world.workspace, Scope::Workspace, &name("same")).await.unwrap(), None);
    assert_eq!(tx.skill_from_source(world.workspace, Scope::Workspace, "src").await.unwrap(), None);
    drop(tx);
    world.add(&[&new]).await;
    assert_eq!(world.stored(deleted.id).await.unwrap().skill, deleted);
    let mut tx = world.read().await;
    let found = tx.skill_named(world.workspace, Scope::Workspace, &name("same")).await.unwrap();
    assert_eq!(found.unwrap().skill, new);
    drop(tx);
    let also_deleted = Skill { version: 2, deleted_at: Some(moment(10)), ..new };
    assert_eq!(world.update(&also_deleted).await, Written::Done);
    let restored = Skill { version: 3, deleted_at: None, ..deleted };
    assert_eq!(world.update(&restored).await, Written::Done);
    assert_eq!(world.found(SkillFilter::default()).await, ["same"]);
}

pub async fn bringing_back_onto_a_taken_name_is_a_conflict(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let deleted = Skill { deleted_at: Some(moment(9)), ..world.skill("same") };
    world.add(&[&deleted, &world.skill("same")]).await;
    let restored = Skill { version: 2, deleted_at: None, ..deleted };
    let refused = world.begin().await.update_skill(&restored).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
}

pub async fn purging_removes_everything_of_a_skill(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = Skill { tags: vec!["tag".to_owned()], ..world.skill("skill") };
    world.add(&[&skill]).await;
    world.add_revision(&skill, 1, &[("SKILL.md", b"one")]).await;
    world.add_revision(&skill, 2, &[("SKILL.md", b"two"), ("a/b.txt", b"b")]).await;
    let mut agent = samples::agent(world.workspace, "agent");
    agent.assignments = vec![Assignment { skill: skill.id, pin: None }];
    let feedback = Feedback { skill: skill.id, user: world.bob, helpful: true, comment: None, at: moment(5) };
    let mut tx = world.begin().await;
    assert!(tx.insert_agent(&agent).await.unwrap());
    tx.put_feedback(world.workspace, &feedback).await.unwrap();
    assert_eq!(tx.count_blobs(world.workspace).await.unwrap(), (3, 7));
    assert!(tx.purge_skill(world.workspace, skill.id).await.unwrap());
    assert!(!tx.purge_skill(world.workspace, skill.id).await.unwrap());
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.skill(world.workspace, skill.id).await.unwrap(), None);
    assert_eq!(tx.revisions(world.workspace, skill.id, None, 10).await.unwrap(), []);
    assert_eq!(tx.revision_files(world.workspace, skill.id, number(2)).await.unwrap(), []);
    assert_eq!(tx.feedback(world.workspace, skill.id, 10).await.unwrap(), []);
    assert_eq!(tx.count_blobs(world.workspace).await.unwrap(), (0, 0));
    assert_eq!(tx.tags(world.workspace, Visibility::All).await.unwrap(), []);
    assert_eq!(tx.agent(world.workspace, agent.id).await.unwrap().unwrap().assignments, []);
    drop(tx);
    world.add(&[&Skill { tags: vec![], ..skill.clone() }]).await;
    assert_eq!(world.stored(skill.id).await.unwrap().statistics, Statistics::default());
}

pub async fn purging_keeps_shared_blobs_and_removes_others(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (gone, kept) = (world.skill("gone"), world.skill("kept"));
    world.add(&[&gone, &kept]).await;
    world.add_revision(&gone, 1, &[("SKILL.md", b"gone"), ("LICENSE", b"shared"), ("copy", b"gone")]).await;
    let files = world.add_revision(&kept, 1, &[("SKILL.md", b"kept"), ("LICENSE", b"shared")]).await;
    let mut tx = world.begin().await;
    assert!(tx.purge_skill(world.workspace, gone.id).await.unwrap());
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    let mut content = async |bytes: &[u8]| tx.blob(world.workspace, &Digest::of(bytes)).await.unwrap();
    assert_eq!(content(b"gone").await, None);
    assert_eq!(content(b"shared").await.as_deref(), Some(b"shared".as_slice()));
    assert_eq!(content(b"kept").await.as_deref(), Some(b"kept".as_slice()));
    let mut left = tx.revision_files(world.workspace, kept.id, number(1)).await.unwrap();
    left.sort_by(|a, b| b.path.as_str().cmp(a.path.as_str()));
    assert_eq!(left, files);
}

pub async fn purging_spares_other_workspaces(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    let (here, there) = (world.skill("same"), samples::skill(other, world.ada, "same"));
    world.add(&[&here]).await;
    world.add(&[&there]).await;
    for skill in [&here, &there] {
        world.add_revision(skill, 1, &[("SKILL.md", b"same bytes")]).await;
    }
    let mut tx = world.begin().await;
    assert!(!tx.purge_skill(world.workspace, there.id).await.unwrap());
    assert!(tx.purge_skill(world.workspace, here.id).await.unwrap());
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert!(tx.skill(other, there.id).await.unwrap().is_some());
    assert_eq!(tx.blob(world.workspace, &Digest::of(b"same bytes")).await.unwrap(), None);
    assert!(tx.blob(other, &Digest::of(b"same bytes")).await.unwrap().is_some());
}

pub async fn rejected_content_is_found_by_digest(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (rejected, active) = (world.skill("rejected"), world.skill("active"));
    world.add(&[&rejected, &active]).await;
    let other = world.add_workspace("other").await;
    let mut tx = world.begin().await;
    tx.put_rejection(world.workspace, &rejected.digest, active.id, moment(1)).await.unwrap();
    tx.put_rejection(world.workspace, &rejected.digest, rejected.id, moment(2)).await.unwrap();
    // The content stays refused when the skill that brought it is gone.
    assert!(tx.purge_skill(world.workspace, rejected.id).await.unwrap());
    assert_eq!(tx.rejection(world.workspace, &rejected.digest).await.unwrap(), Some(rejected.id));
    assert_eq!(tx.rejection(world.workspace, &active.digest).await.unwrap(), None);
    assert_eq!(tx.rejection(other, &rejected.digest).await.unwrap(), None);
    tx.delete_rejection(other, &rejected.digest).await.unwrap();
    assert_eq!(tx.rejection(world.workspace, &rejected.digest).await.unwrap(), Some(rejected.id));
    tx.delete_rejection(world.workspace, &rejected.digest).await.unwrap();
    assert_eq!(tx.rejection(world.workspace, &rejected.digest).await.unwrap(), None);
}

pub async fn untouched_drafts_are_found(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let draft = |called: &str, seconds| Skill {
        status: Status::Draft,
        updated_at: moment(seconds),
        ..world.skill(called)
    };
    let (old, older, new) = (draft("old", 9), draft("older", 1), draft("new", 10));
    let deleted = Skill { deleted_at: Some(moment(2)), ..draft("deleted", 1) };
    let active = Skill { status: Status::Active, ..draft("active", 1) };
    world.add(&[&old, &older, &new, &deleted, &active]).await;
    let mut found = world.read().await.drafts_untouched_since(world.workspace, moment(10)).await.unwrap();
    found.sort();
    assert_eq!(found, [old.id, older.id]);
}

pub async fn deleted_skills_wait_to_be_purged(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let deleted = |called: &str, seconds| Skill { deleted_at: Some(moment(seconds)), ..world.skill(called) };
    let (old, new) = (deleted("old", 9), deleted("new", 10));
    world.add(&[&old, &new, &world.skill("alive")]).await;
    let mut tx = world.read().await;
    assert_eq!(tx.deleted_before(world.workspace, moment(10)).await.unwrap(), [old.id]);
    assert_eq!(tx.deleted_before(world.workspace, moment(9)).await.unwrap(), []);
}

pub async fn assigned_agents_are_listed_by_name(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (wanted, other) = (world.skill("wanted"), world.skill("other"));
    world.add(&[&wanted, &other]).await;
    let mut tx = world.begin().await;
    for (called, skills) in [("b", vec![wanted.id]), ("a", vec![other.id, wanted.id]), ("c", vec![other.id])]
    {
        let mut agent = samples::agent(world.workspace, called);
        agent.assignments = skills.into_iter().map(|skill| Assignment { skill, pin: None }).collect();
        assert!(tx.insert_agent(&agent).await.unwrap());
    }
    assert_eq!(tx.assigned_agents(world.workspace, wanted.id).await.unwrap(), [name("a"), name("b")]);
}

pub async fn text_survives_whatever_it_holds(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mut skill = world.skill("text");
    let text = "'; DROP TABLE skills; -- $1 ?1 \\ \" % _ \u{1} \r\n\t 漢字 🦀 e\u{301} \u{10FFFF}";
    skill.title = text.to_owned();
    skill.description = text.repeat(500);
    skill.status_reason = Some(String::new());
    skill.tags = vec![text.to_owned(), String::new()];
    skill.example_prompts = vec!["with \0 inside".to_owned()];
    world.add(&[&skill]).await;
    assert_eq!(world.stored(skill.id).await.unwrap().skill, skill);
    let mut nul = world.skill("nul");
    nul.title = "a\0b".to_owned();
    world.add(&[&nul]).await;
    assert_eq!(world.stored(nul.id).await.unwrap().skill.title, "a\u{fffd}b");
}

pub async fn moments_round_trip_to_the_microsecond(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let micro = Duration::microseconds(1);
    let moments =
        [moment(0), moment(0) + micro, moment(-3_000_000_000), moment(7_000_000_000) - micro, moment(1)];
    for (n, moment) in moments.into_iter().enumerate() {
        let skill = Skill { created_at: moment, ..world.skill(&format!("exact-{n}")) };
        world.add(&[&skill]).await;
        assert_eq!(world.stored(skill.id).await.unwrap().skill.created_at, moment);
        let finer =
            Skill { created_at: moment + Duration::nanoseconds(999), ..world.skill(&format!("fine-{n}")) };
        world.add(&[&finer]).await;
        assert_eq!(world.stored(finer.id).await.unwrap().skill.created_at, moment);
    }
}
