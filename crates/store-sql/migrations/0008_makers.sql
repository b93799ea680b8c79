-- The admin who made a credential for somebody else: it opens no more than that admin's workspace.

ALTER TABLE tokens ADD COLUMN created_by UUID REFERENCES users (id);
ALTER TABLE sign_ins ADD COLUMN created_by UUID REFERENCES users (id);
ALTER TABLE sign_in_links ADD COLUMN created_by UUID REFERENCES users (id);
