-- Policies in force, runs in which limits are counted, and every decision, sealed by the audit log.

ALTER TABLE skills ADD COLUMN enforced_revision BIGINT;
UPDATE skills SET enforced_revision = revision WHERE has_policy AND status = 'active';

CREATE TABLE governed_runs (
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    id UUID NOT NULL,
    user_id UUID NOT NULL,
    agent_id UUID,
    host TEXT,
    session TEXT,
    task_digest BYTEA NOT NULL,
    task TEXT,
    context TEXT,
    steps BIGINT NOT NULL,
    denied BIGINT NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    touched_at TIMESTAMPTZ NOT NULL,
    finished_at TIMESTAMPTZ,
    outcome TEXT,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX governed_runs_by_time ON governed_runs (workspace_id, started_at, id);
CREATE INDEX governed_runs_by_user ON governed_runs (workspace_id, user_id, started_at, id);
CREATE INDEX governed_runs_by_session ON governed_runs (workspace_id, user_id, session, started_at, id);
CREATE INDEX governed_runs_by_end ON governed_runs (workspace_id, finished_at, started_at, id);

CREATE TABLE policy_sets (
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    digest BYTEA NOT NULL,
    policies TEXT NOT NULL,
    PRIMARY KEY (workspace_id, digest)
);

CREATE TABLE policy_set_members (
    workspace_id UUID NOT NULL,
    skill_id UUID NOT NULL,
    digest BYTEA NOT NULL,
    PRIMARY KEY (workspace_id, skill_id, digest),
    FOREIGN KEY (workspace_id, digest) REFERENCES policy_sets (workspace_id, digest)
);

CREATE TABLE decisions (
    workspace_id UUID NOT NULL,
    id UUID NOT NULL,
    seal BIGINT NOT NULL,
    place BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    user_id UUID NOT NULL,
    agent_id UUID,
    host TEXT,
    run_id UUID,
    kind TEXT NOT NULL,
    task_digest BYTEA NOT NULL,
    task TEXT,
    context TEXT,
    policy_set BYTEA NOT NULL,
    reasons TEXT NOT NULL,
    tool TEXT,
    alias TEXT,
    arguments_digest BYTEA,
    arguments TEXT,
    steps BIGINT,
    elapsed_us BIGINT,
    cause TEXT,
    reason TEXT,
    denied_by TEXT,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, policy_set) REFERENCES policy_sets (workspace_id, digest)
);
CREATE INDEX decisions_by_time ON decisions (workspace_id, at, id);
CREATE INDEX decisions_by_seal ON decisions (workspace_id, seal, place);
CREATE INDEX decisions_by_agent ON decisions (workspace_id, agent_id, at, id);
CREATE INDEX decisions_by_user ON decisions (workspace_id, user_id, at, id);
CREATE INDEX decisions_by_run ON decisions (workspace_id, run_id, at, id);
CREATE INDEX decisions_by_set ON decisions (workspace_id, policy_set, at, id);
CREATE INDEX decisions_by_cause ON decisions (workspace_id, cause, at, id);
