//! Where a claim plays: a workspace with two people.

use std::sync::Arc;

use model::{Agent, FileEntry, Skill, SkillId, User, UserId, WorkspaceId};

use super::samples;
use crate::{SkillFilter, SkillOrder, SkillQuery, SkillRecord, Store, Tx, Visibility, Written};

/// A store with a workspace, `ada` and `bob`.
pub struct World {
    pub store: Arc<dyn Store>,
    pub workspace: WorkspaceId,
    pub ada: UserId,
    pub bob: UserId,
}

impl World {
    pub async fn new(store: Arc<dyn Store>) -> Self {
        let (ada, bob) = (samples::user("ada"), samples::user("bob"));
        let workspace = samples::workspace("acme");
        let mut tx = store.begin_installation().await.unwrap();
        assert!(tx.insert_workspace(&workspace).await.unwrap());
        for user in [&ada, &bob] {
            assert!(tx.insert_user(user).await.unwrap());
        }
        tx.commit().await.unwrap();
        Self { store, workspace: workspace.id, ada: ada.id, bob: bob.id }
    }

    /// Another workspace in the same store.
    pub async fn add_workspace(&self, name: &str) -> WorkspaceId {
        let workspace = samples::workspace(name);
        let mut tx = self.store.begin_installation().await.unwrap();
        assert!(tx.insert_workspace(&workspace).await.unwrap());
        tx.commit().await.unwrap();
        workspace.id
    }

    pub async fn add_user(&self, handle: &str) -> User {
        let user = samples::user(handle);
        let mut tx = self.store.begin_installation().await.unwrap();
        assert!(tx.insert_user(&user).await.unwrap());
        tx.commit().await.unwrap();
        user
    }

    pub async fn add_agent(&self, name: &str) -> Agent {
        let agent = samples::agent(self.workspace, name);
        let mut tx = self.begin().await;
        assert!(tx.insert_agent(&agent).await.unwrap());
        tx.commit().await.unwrap();
        agent
    }

    pub async fn begin(&self) -> Box<dyn Tx> {
        self.store.begin(self.workspace).await.unwrap()
    }

    pub async fn read(&self) -> Box<dyn Tx> {
        self.store.read().await.unwrap()
    }

    /// A skill that is not stored yet.
    pub fn skill(&self, name: &str) -> Skill {
        samples::skill(self.workspace, self.ada, name)
    }

    /// Stores skills of one workspace.
    pub async fn add(&self, skills: &[&Skill]) {
        let workspace = skills.first().map_or(self.workspace, |skill| skill.workspace);
        let mut tx = self.store.begin(workspace).await.unwrap();
        for skill in skills {
            assert!(tx.insert_skill(skill).await.unwrap(), "{} is refused", skill.name);
        }
        tx.commit().await.unwrap();
    }

    pub async fn update(&self, skill: &Skill) -> Written {
        let mut tx = self.store.begin(skill.workspace).await.unwrap();
        let written = tx.update_skill(skill).await.unwrap();
        tx.commit().await.unwrap();
        written
    }

    pub async fn stored(&self, id: SkillId) -> Option<SkillRecord> {
        self.read().await.skill(self.workspace, id).await.unwrap()
    }

    /// Stores a revision with files of these contents.
    pub async fn add_revision(&self, skill: &Skill, n: u32, files: &[(&str, &[u8])]) -> Vec<FileEntry> {
        let mut tx = self.store.begin(skill.workspace).await.unwrap();
        let mut entries = Vec::new();
        for (path, content) in files {
            let digest = model::Digest::of(content);
            tx.put_blob(skill.workspace, &digest, content).await.unwrap();
            entries.push(FileEntry {
                path: model::BundlePath::parse(path).unwrap(),
                digest,
                size: content.len() as u64,
                executable: path.ends_with(".sh"),
            });
        }
        tx.insert_revision(skill.workspace, &samples::revision(skill, n), &entries).await.unwrap();
        tx.commit().await.unwrap();
        entries
    }

    /// Everything, by name, on one page.
    pub fn query(&self) -> SkillQuery {
        SkillQuery {
            workspace: self.workspace,
            visibility: Visibility::All,
            filter: SkillFilter::default(),
            order: SkillOrder::Name,
            after: None,
            limit: 1_000,
        }
    }

    /// The names a filter finds for an admin.
    pub async fn found(&self, filter: SkillFilter) -> Vec<String> {
        self.names(&SkillQuery { filter, ..self.query() }).await
    }

    /// The names a query finds; its count and its groups must agree.
    pub async fn names(&self, query: &SkillQuery) -> Vec<String> {
        let mut tx = self.read().await;
        let found = tx.skills(query).await.unwrap();
        assert_eq!(tx.count_skills(query).await.unwrap(), found.len() as u64, "{query:?}");
        let groups = tx.group_skills(query).await.unwrap();
        assert_eq!(groups.iter().map(|group| group.count).sum::<u64>(), found.len() as u64, "{query:?}");
        found.into_iter().map(|record| record.skill.name.to_string()).collect()
    }
}
