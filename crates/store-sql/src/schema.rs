//! The schema: its migrations, and what its tables are for.

/// What the driver for PostgreSQL turns into a collation.
pub const BYTEWISE: &str = "/*bytewise*/";

/// One step of the schema.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Its place in the order.
    pub version: i64,
    /// What it brings.
    pub description: &'static str,
    /// The statements.
    pub sql: &'static str,
}

/// All steps, in order.
pub const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        description: "foundation",
        sql: include_str!("../migrations/0001_foundation.sql"),
    },
    Migration { version: 2, description: "runs", sql: include_str!("../migrations/0002_runs.sql") },
    Migration { version: 3, description: "search", sql: include_str!("../migrations/0003_search.sql") },
    Migration {
        version: 4,
        description: "governance",
        sql: include_str!("../migrations/0004_governance.sql"),
    },
    Migration { version: 5, description: "sessions", sql: include_str!("../migrations/0005_sessions.sql") },
    Migration { version: 6, description: "analytics", sql: include_str!("../migrations/0006_analytics.sql") },
    Migration { version: 7, description: "let in", sql: include_str!("../migrations/0007_let_in.sql") },
    Migration { version: 8, description: "makers", sql: include_str!("../migrations/0008_makers.sql") },
];

/// A table, in an order in which rows may be inserted.
pub type Table = &'static str;

/// Every table, parents first.
pub const TABLES: &[Table] = &[
    "workspaces",
    "users",
    "memberships",
    "tokens",
    "sign_ins",
    "sign_in_links",
    "agents",
    "skills",
    "skill_tags",
    "skill_statistics",
    "skill_days",
    "skill_feedback",
    "agent_skills",
    "revisions",
    "blobs",
    "revision_files",
    "rejected_digests",
    "purged_skills",
    "skill_embeddings",
    "runs",
    "revision_statistics",
    "agent_run_limits",
    "governed_runs",
    "policy_sets",
    "policy_set_members",
    "decisions",
    "sessions",
    "session_entries",
    "audit_heads",
    "audit_entries",
    "idempotency_keys",
];

/// How many of them, at the front, belong to the installation and are small.
const INSTALLATION: usize = 6;

/// The tables of tenant data: `workspace_id` leads each of their keys.
pub const TENANT_TABLES: &[Table] = TABLES.split_at(INSTALLATION).1;
