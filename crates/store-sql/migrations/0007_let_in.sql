-- When a revision was let in. Of earlier ones it is not known: those up to the one that was let in last count as let in.

ALTER TABLE revisions ADD COLUMN approved_at TIMESTAMPTZ;
UPDATE revisions SET approved_at = created_at WHERE EXISTS (
    SELECT 1 FROM skills s
    WHERE s.workspace_id = revisions.workspace_id AND s.id = revisions.skill_id AND revisions.number <= s.approved_revision
);
