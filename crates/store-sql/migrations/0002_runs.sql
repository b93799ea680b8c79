-- Executions of skills as they are remembered, counters of single revisions, and what agents may use in a run.

CREATE TABLE runs (
    workspace_id UUID NOT NULL,
    id UUID NOT NULL,
    skill_id UUID NOT NULL,
    skill_name TEXT NOT NULL,
    revision BIGINT NOT NULL,
    user_id UUID NOT NULL,
    agent_id UUID,
    parameters TEXT NOT NULL,
    status TEXT NOT NULL,
    error_code TEXT,
    error_type TEXT,
    error_message TEXT,
    error_file TEXT,
    error_line BIGINT,
    duration_us BIGINT NOT NULL,
    cpu_us BIGINT,
    memory_bytes BIGINT,
    limits_hit TEXT NOT NULL,
    output_digest BYTEA NOT NULL,
    result_size BIGINT NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, skill_id) REFERENCES skills (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX runs_by_time ON runs (workspace_id, started_at, id);
CREATE INDEX runs_by_skill ON runs (workspace_id, skill_id, started_at, id);
CREATE INDEX runs_by_user ON runs (workspace_id, user_id, started_at, id);

CREATE TABLE revision_statistics (
    workspace_id UUID NOT NULL,
    skill_id UUID NOT NULL,
    revision BIGINT NOT NULL,
    success_count BIGINT NOT NULL,
    failure_count BIGINT NOT NULL,
    recent_success_rate DOUBLE PRECISION,
    last_used_at TIMESTAMPTZ,
    total_us BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, skill_id, revision),
    FOREIGN KEY (workspace_id, skill_id, revision) REFERENCES revisions (workspace_id, skill_id, number) ON DELETE CASCADE
);

CREATE TABLE agent_run_limits (
    workspace_id UUID NOT NULL,
    agent_id UUID NOT NULL,
    limits TEXT NOT NULL,
    PRIMARY KEY (workspace_id, agent_id),
    FOREIGN KEY (workspace_id, agent_id) REFERENCES agents (workspace_id, id) ON DELETE CASCADE
);
