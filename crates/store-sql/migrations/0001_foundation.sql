-- One text for SQLite and PostgreSQL. SQLite takes the type names as they are; the driver for PostgreSQL turns
-- /*bytewise*/ into a collation, so that both sort names by their bytes.
-- workspace_id leads every key of tenant data; ids are made by the program; no sequences, triggers or extensions.

CREATE TABLE workspaces (
    id UUID PRIMARY KEY,
    name TEXT /*bytewise*/ NOT NULL UNIQUE,
    title TEXT NOT NULL,
    hide_existence BOOLEAN NOT NULL,
    undelete_window_hours BIGINT NOT NULL,
    draft_expiry_days BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE users (
    id UUID PRIMARY KEY,
    handle TEXT /*bytewise*/ NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    operator BOOLEAN NOT NULL,
    disabled BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE memberships (
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    user_id UUID NOT NULL REFERENCES users (id),
    roles TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id);

CREATE TABLE tokens (
    digest BYTEA PRIMARY KEY,
    id UUID NOT NULL UNIQUE,
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    user_id UUID NOT NULL REFERENCES users (id),
    agent_id UUID,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ
);
CREATE INDEX tokens_by_user ON tokens (workspace_id, user_id);

CREATE TABLE sign_ins (
    digest BYTEA PRIMARY KEY,
    id UUID NOT NULL UNIQUE,
    user_id UUID NOT NULL REFERENCES users (id),
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX sign_ins_by_user ON sign_ins (user_id);

CREATE TABLE sign_in_links (
    digest BYTEA PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    expires_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE agents (
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    id UUID NOT NULL,
    name TEXT /*bytewise*/ NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    procedural_memory TEXT,
    discovery TEXT NOT NULL,
    discovery_token_budget BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, name)
);

CREATE TABLE skills (
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    id UUID NOT NULL,
    name TEXT /*bytewise*/ NOT NULL,
    scope TEXT NOT NULL,
    agent_id UUID,
    user_id UUID,
    scope_key TEXT NOT NULL,
    promotion_scope TEXT,
    promotion_agent_id UUID,
    promotion_user_id UUID,
    origin TEXT NOT NULL,
    status TEXT NOT NULL,
    status_reason TEXT,
    enabled BOOLEAN NOT NULL,
    revision BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    version BIGINT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    icon TEXT,
    tags TEXT NOT NULL,
    example_prompts TEXT NOT NULL,
    suggested_tools TEXT NOT NULL,
    extends TEXT,
    has_instructions BOOLEAN NOT NULL,
    has_procedure BOOLEAN NOT NULL,
    has_policy BOOLEAN NOT NULL,
    created_by UUID NOT NULL,
    created_through UUID,
    created_in UUID,
    source TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    updated_by UUID NOT NULL,
    deleted_at TIMESTAMPTZ,
    search_text TEXT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, scope_key, name),
    UNIQUE (workspace_id, scope_key, source),
    FOREIGN KEY (workspace_id, agent_id) REFERENCES agents (workspace_id, id)
);
CREATE INDEX skills_by_name ON skills (workspace_id, name, id);
CREATE INDEX skills_by_change ON skills (workspace_id, updated_at, id);
CREATE INDEX skills_by_creation ON skills (workspace_id, created_at, id);
CREATE INDEX skills_by_status ON skills (workspace_id, status, name, id);
CREATE INDEX skills_by_agent ON skills (workspace_id, agent_id, name, id);
CREATE INDEX skills_by_user ON skills (workspace_id, user_id, name, id);
-- The two short lists among many skills; the conditions are those of the list's filters, word for word.
CREATE INDEX skills_waiting ON skills (workspace_id, name, id)
    WHERE status IN ('draft', 'pending_approval') OR promotion_scope IS NOT NULL;
CREATE INDEX skills_deleted ON skills (workspace_id, name, id) WHERE deleted_at IS NOT NULL;

CREATE TABLE skill_tags (
    workspace_id UUID NOT NULL,
    tag TEXT /*bytewise*/ NOT NULL,
    skill_id UUID NOT NULL,
    PRIMARY KEY (workspace_id, tag, skill_id),
    FOREIGN KEY (workspace_id, skill_id) REFERENCES skills (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX skill_tags_by_skill ON skill_tags (workspace_id, skill_id);

CREATE TABLE skill_statistics (
    workspace_id UUID NOT NULL,
    skill_id UUID NOT NULL,
    use_count BIGINT NOT NULL,
    success_count BIGINT NOT NULL,
    failure_count BIGINT NOT NULL,
    recent_success_rate DOUBLE PRECISION,
    last_used_at TIMESTAMPTZ,
    helpful_count BIGINT NOT NULL,
    unhelpful_count BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, skill_id),
    FOREIGN KEY (workspace_id, skill_id) REFERENCES skills (workspace_id, id) ON DELETE CASCADE
);

CREATE TABLE skill_feedback (
    workspace_id UUID NOT NULL,
    skill_id UUID NOT NULL,
    user_id UUID NOT NULL,
    helpful BOOLEAN NOT NULL,
    comment TEXT,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (workspace_id, skill_id, user_id),
    FOREIGN KEY (workspace_id, skill_id) REFERENCES skills (workspace_id, id) ON DELETE CASCADE
);

CREATE TABLE agent_skills (
    workspace_id UUID NOT NULL,
    agent_id UUID NOT NULL,
    skill_id UUID NOT NULL,
    position BIGINT NOT NULL,
    pin BIGINT,
    PRIMARY KEY (workspace_id, agent_id, skill_id),
    FOREIGN KEY (workspace_id, agent_id) REFERENCES agents (workspace_id, id) ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, skill_id) REFERENCES skills (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX agent_skills_by_skill ON agent_skills (workspace_id, skill_id);

CREATE TABLE revisions (
    workspace_id UUID NOT NULL,
    skill_id UUID NOT NULL,
    number BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    label TEXT,
    author_id UUID NOT NULL,
    agent_id UUID,
    message TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    file_count BIGINT NOT NULL,
    size BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, skill_id, number),
    UNIQUE (workspace_id, skill_id, label),
    FOREIGN KEY (workspace_id, skill_id) REFERENCES skills (workspace_id, id) ON DELETE CASCADE
);

CREATE TABLE blobs (
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    digest BYTEA NOT NULL,
    size BIGINT NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (workspace_id, digest)
);

CREATE TABLE revision_files (
    workspace_id UUID NOT NULL,
    skill_id UUID NOT NULL,
    number BIGINT NOT NULL,
    path TEXT /*bytewise*/ NOT NULL,
    digest BYTEA NOT NULL,
    size BIGINT NOT NULL,
    executable BOOLEAN NOT NULL,
    PRIMARY KEY (workspace_id, skill_id, number, path),
    FOREIGN KEY (workspace_id, skill_id, number) REFERENCES revisions (workspace_id, skill_id, number) ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, digest) REFERENCES blobs (workspace_id, digest)
);
CREATE INDEX revision_files_by_blob ON revision_files (workspace_id, digest);

-- Content that a reviewer refused, also after the skill that brought it is gone.
CREATE TABLE rejected_digests (
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    digest BYTEA NOT NULL,
    skill_id UUID NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (workspace_id, digest)
);

CREATE TABLE audit_heads (
    workspace_id UUID PRIMARY KEY REFERENCES workspaces (id),
    sequence BIGINT NOT NULL,
    hash BYTEA NOT NULL
);

CREATE TABLE audit_entries (
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    sequence BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    user_id UUID,
    agent_id UUID,
    verb TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    detail TEXT NOT NULL,
    previous BYTEA NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (workspace_id, sequence)
);
CREATE INDEX audit_entries_by_verb ON audit_entries (workspace_id, verb, sequence);
CREATE INDEX audit_entries_by_subject ON audit_entries (workspace_id, subject_id, sequence);

CREATE TABLE idempotency_keys (
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    user_id UUID NOT NULL,
    key TEXT NOT NULL,
    fingerprint BYTEA NOT NULL,
    subject TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (workspace_id, user_id, key)
);
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (workspace_id, at);
