-- What keeps an index in memory in step: transactions of a workspace are numbered, skills carry the number of the one
-- that wrote them last, purged skills leave theirs behind. And the vectors that embedders made.

ALTER TABLE audit_heads ADD COLUMN transactions BIGINT NOT NULL DEFAULT 1;
ALTER TABLE skills ADD COLUMN changed_in BIGINT NOT NULL DEFAULT 1;
CREATE INDEX skills_by_change_number ON skills (workspace_id, changed_in, id);

CREATE TABLE purged_skills (
    workspace_id UUID NOT NULL REFERENCES workspaces (id),
    skill_id UUID NOT NULL,
    changed_in BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, skill_id)
);
CREATE INDEX purged_skills_by_change_number ON purged_skills (workspace_id, changed_in, skill_id);

CREATE TABLE skill_embeddings (
    workspace_id UUID NOT NULL,
    skill_id UUID NOT NULL,
    embedder TEXT /*bytewise*/ NOT NULL,
    digest BYTEA NOT NULL,
    vector BYTEA NOT NULL,
    PRIMARY KEY (workspace_id, skill_id, embedder, digest),
    FOREIGN KEY (workspace_id, skill_id) REFERENCES skills (workspace_id, id) ON DELETE CASCADE
);
