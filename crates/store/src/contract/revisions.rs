//! Revisions, their files, and the bytes of those.

use std::sync::Arc;

use model::{BundlePath, Digest, FileEntry};

use super::World;
use super::samples::{self, label, number};
use crate::{Store, StoreError};

pub async fn a_revision_comes_back_with_its_files_in_path_order(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let files = world
        .add_revision(
            &skill,
            1,
            &[("b/run.sh", b"#!"), ("SKILL.md", b"# Skill"), ("a.txt", b""), ("ü.txt", b"u")],
        )
        .await;
    let mut full = samples::revision(&skill, 2);
    full.label = Some(label("2.0.0-beta.1+build"));
    full.agent = Some(samples::agent_id());
    full.message = "ändert\nalles".to_owned();
    full.approved_at = Some(samples::moment(9));
    full.file_count = 12;
    full.size = 1 << 40;
    let mut tx = world.begin().await;
    tx.insert_revision(world.workspace, &full, &[]).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    let stored = tx.revision(world.workspace, skill.id, number(1)).await.unwrap();
    assert_eq!(stored, Some(samples::revision(&skill, 1)));
    assert_eq!(tx.revision(world.workspace, skill.id, number(2)).await.unwrap(), Some(full));
    assert_eq!(tx.revision(world.workspace, skill.id, number(3)).await.unwrap(), None);
    let stored = tx.revision_files(world.workspace, skill.id, number(1)).await.unwrap();
    let paths: Vec<_> = stored.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["SKILL.md", "a.txt", "b/run.sh", "ü.txt"]);
    assert_eq!(stored, [1, 2, 0, 3].map(|n: usize| files[n].clone()));
    let contents = tx.revision_contents(world.workspace, skill.id, number(1)).await.unwrap();
    assert!(contents.iter().all(|(file, bytes)| file.digest == model::Digest::of(bytes)));
    assert_eq!(contents.into_iter().map(|(file, _)| file).collect::<Vec<_>>(), stored);
    assert_eq!(tx.revision_contents(world.workspace, skill.id, number(2)).await.unwrap(), []);
    assert_eq!(tx.revision_files(world.workspace, skill.id, number(2)).await.unwrap(), []);
}

pub async fn revisions_are_listed_newest_first_in_pages(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (skill, other) = (world.skill("skill"), world.skill("other"));
    world.add(&[&skill, &other]).await;
    for n in 1..=11 {
        world.add_revision(&skill, n, &[]).await;
    }
    world.add_revision(&other, 1, &[]).await;
    let mut tx = world.read().await;
    let mut numbers = Vec::new();
    let mut before = None;
    loop {
        let page = tx.revisions(world.workspace, skill.id, before, 4).await.unwrap();
        assert!(page.len() <= 4);
        let Some(last) = page.last() else { break };
        before = Some(last.number);
        numbers.extend(page.iter().map(|revision| revision.number.get()));
        assert!(numbers.len() < 100, "the pages do not end");
    }
    assert_eq!(numbers, (1..=11).rev().collect::<Vec<_>>());
}

pub async fn a_revision_number_is_used_once(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    world.add_revision(&skill, 1, &[]).await;
    let mut tx = world.begin().await;
    let refused = tx.insert_revision(world.workspace, &samples::revision(&skill, 1), &[]).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    drop(tx);
    let mut tx = world.begin().await;
    let refused = tx.insert_revision(world.workspace, &samples::revision(&world.skill("x"), 1), &[]).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
}

pub async fn a_revision_is_found_by_its_label(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let labelled = model::Revision { label: Some(label("1.2.0")), ..samples::revision(&skill, 1) };
    let mut tx = world.begin().await;
    tx.insert_revision(world.workspace, &labelled, &[]).await.unwrap();
    tx.insert_revision(world.workspace, &samples::revision(&skill, 2), &[]).await.unwrap();
    let mut find = async |text| tx.revision_labelled(world.workspace, skill.id, &label(text)).await.unwrap();
    assert_eq!(find("1.2.0").await, Some(labelled));
    assert_eq!(find("1.2.1").await, None);
}

pub async fn a_label_is_unique_in_a_skill_and_free_in_others(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (skill, other) = (world.skill("skill"), world.skill("other"));
    world.add(&[&skill, &other]).await;
    world.add_revision(&skill, 1, &[]).await;
    world.add_revision(&skill, 2, &[]).await;
    world.add_revision(&other, 1, &[]).await;
    let mut tx = world.begin().await;
    tx.set_label(world.workspace, skill.id, number(1), Some(&label("1.0.0"))).await.unwrap();
    tx.set_label(world.workspace, other.id, number(1), Some(&label("1.0.0"))).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.begin().await;
    let refused = tx.set_label(world.workspace, skill.id, number(2), Some(&label("1.0.0"))).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    drop(tx);
    let found = world.read().await.revision_labelled(world.workspace, skill.id, &label("1.0.0")).await;
    assert_eq!(found.unwrap().unwrap().number, number(1));
}

pub async fn a_label_can_be_taken_away_and_given_anew(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    world.add_revision(&skill, 1, &[]).await;
    world.add_revision(&skill, 2, &[]).await;
    let wanted = label("1.0.0");
    let mut tx = world.begin().await;
    tx.set_label(world.workspace, skill.id, number(1), Some(&wanted)).await.unwrap();
    tx.set_label(world.workspace, skill.id, number(1), None).await.unwrap();
    tx.set_label(world.workspace, skill.id, number(2), None).await.unwrap();
    assert_eq!(tx.revision_labelled(world.workspace, skill.id, &wanted).await.unwrap(), None);
    tx.set_label(world.workspace, skill.id, number(2), Some(&wanted)).await.unwrap();
    let found = tx.revision_labelled(world.workspace, skill.id, &wanted).await.unwrap().unwrap();
    assert_eq!(found.number, number(2));
}

pub async fn a_revision_is_let_in_once(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (skill, other) = (world.skill("skill"), world.skill("other"));
    world.add(&[&skill, &other]).await;
    world.add_revision(&skill, 1, &[]).await;
    world.add_revision(&skill, 2, &[]).await;
    world.add_revision(&other, 2, &[]).await;
    let mut tx = world.begin().await;
    for at in [5, 7] {
        tx.approve_revision(world.workspace, skill.id, number(2), samples::moment(at)).await.unwrap();
    }
    let mut at =
        async |skill, n| tx.revision(world.workspace, skill, number(n)).await.unwrap().unwrap().approved_at;
    assert_eq!(at(skill.id, 2).await, Some(samples::moment(5)));
    assert_eq!((at(skill.id, 1).await, at(other.id, 2).await), (None, None));
}

pub async fn the_newest_revision_with_a_digest_is_found(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (skill, other) = (world.skill("skill"), world.skill("other"));
    world.add(&[&skill, &other]).await;
    let digest = Digest::of(b"same");
    let mut tx = world.begin().await;
    for (skill, n) in [(&skill, 1), (&skill, 3), (&other, 9)] {
        let revision = model::Revision { digest, ..samples::revision(skill, n) };
        tx.insert_revision(world.workspace, &revision, &[]).await.unwrap();
    }
    tx.insert_revision(world.workspace, &samples::revision(&skill, 4), &[]).await.unwrap();
    let found = tx.revision_with_digest(world.workspace, skill.id, &digest).await.unwrap();
    assert_eq!(found, Some(number(3)));
    let found = tx.revision_with_digest(world.workspace, skill.id, &Digest::of(b"other")).await.unwrap();
    assert_eq!(found, None);
}

pub async fn a_file_without_its_blob_is_a_conflict(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let elsewhere = world.add_workspace("elsewhere").await;
    let file = FileEntry {
        path: BundlePath::parse("SKILL.md").unwrap(),
        digest: Digest::of(b"content"),
        size: 7,
        executable: false,
    };
    let mut tx = world.store.begin(elsewhere).await.unwrap();
    tx.put_blob(elsewhere, &file.digest, b"content").await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.begin().await;
    let refused = tx.insert_revision(world.workspace, &samples::revision(&skill, 1), &[file]).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    drop(tx);
    assert_eq!(world.read().await.revisions(world.workspace, skill.id, None, 9).await.unwrap(), []);
}

pub async fn a_blob_is_stored_once(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let digest = Digest::of(b"content");
    let mut tx = world.begin().await;
    assert_eq!(tx.count_blobs(world.workspace).await.unwrap(), (0, 0));
    for _ in 0..2 {
        tx.put_blob(world.workspace, &digest, b"content").await.unwrap();
    }
    assert_eq!(tx.count_blobs(world.workspace).await.unwrap(), (1, 7));
    tx.commit().await.unwrap();
    let mut tx = world.begin().await;
    tx.put_blob(world.workspace, &digest, b"content").await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.read().await.count_blobs(world.workspace).await.unwrap(), (1, 7));
}

pub async fn blobs_are_of_one_workspace(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    let digest = Digest::of(b"content");
    let mut tx = world.begin().await;
    tx.put_blob(world.workspace, &digest, b"content").await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.blob(other, &digest).await.unwrap(), None);
    assert_eq!(tx.count_blobs(other).await.unwrap(), (0, 0));
}

pub async fn any_bytes_come_back(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let all: Vec<u8> = (0..=255).collect();
    for content in [Vec::new(), vec![0], all.clone(), all.repeat(8_192)] {
        let digest = Digest::of(&content);
        let mut tx = world.begin().await;
        tx.put_blob(world.workspace, &digest, &content).await.unwrap();
        tx.commit().await.unwrap();
        assert!(world.read().await.blob(world.workspace, &digest).await.unwrap() == Some(content));
    }
}
