-- What agents did in one go, with the tasks they keep, and the tools that agents are offered.

ALTER TABLE agents ADD COLUMN toolsets TEXT NOT NULL DEFAULT '[]';

CREATE TABLE sessions (
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    id UUID NOT NULL,
    user_id UUID NOT NULL,
    agent_id UUID,
    title TEXT NOT NULL,
    key TEXT,
    source TEXT,
    outcome TEXT,
    outcome_reason TEXT,
    todos TEXT NOT NULL,
    active_skills TEXT NOT NULL,
    proposed_skills TEXT NOT NULL,
    entry_count BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    completed_at TIMESTAMPTZ,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX sessions_by_time ON sessions (workspace_id, created_at, id);
CREATE INDEX sessions_by_user ON sessions (workspace_id, user_id, created_at, id);
CREATE INDEX sessions_by_key ON sessions (workspace_id, user_id, key, updated_at, id);
CREATE INDEX sessions_by_use ON sessions (workspace_id, updated_at, id);

CREATE TABLE session_entries (
    workspace_id UUID NOT NULL,
    session_id UUID NOT NULL,
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    speaker TEXT,
    tool TEXT,
    call TEXT,
    text TEXT NOT NULL,
    data TEXT,
    failed BOOLEAN NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (workspace_id, session_id, number),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
);
