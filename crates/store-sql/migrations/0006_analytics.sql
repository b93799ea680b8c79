-- Uses of skills by day, and the revision that was let in last. The agent is all zeros where a person acted alone.

ALTER TABLE skills ADD COLUMN approved_revision BIGINT;
UPDATE skills SET approved_revision = CASE WHEN status = 'active' THEN revision ELSE enforced_revision END;

CREATE TABLE skill_days (
    workspace_id UUID NOT NULL,
    day TIMESTAMPTZ NOT NULL,
    skill_id UUID NOT NULL,
    user_id UUID NOT NULL,
    agent_id UUID NOT NULL,
    uses BIGINT NOT NULL,
    successes BIGINT NOT NULL,
    runs BIGINT NOT NULL,
    run_us BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, day, skill_id, user_id, agent_id),
    FOREIGN KEY (workspace_id, skill_id) REFERENCES skills (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX skill_days_by_skill ON skill_days (workspace_id, skill_id, day);
