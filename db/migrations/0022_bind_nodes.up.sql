-- A node's identity is bound when it joins: its instance and its agent's key. The key's hash lies with
-- the node, so that removing the node revokes it and a new one replaces it.

ALTER TABLE nodes ADD COLUMN key_hash text NOT NULL DEFAULT ''
    CHECK (key_hash = '' OR key_hash ~ '^[0-9a-f]{64}$');
ALTER TABLE nodes ADD COLUMN join_hash text NOT NULL DEFAULT ''
    CHECK (join_hash = '' OR join_hash ~ '^[0-9a-f]{64}$');
ALTER TABLE nodes ADD COLUMN join_until timestamptz;
ALTER TABLE nodes ADD COLUMN join_used boolean NOT NULL DEFAULT false;
ALTER TABLE nodes ADD CONSTRAINT nodes_join_token
    CHECK ((join_hash = '') = (join_until IS NULL) AND (NOT join_used OR key_hash <> ''));

UPDATE nodes n
   SET key_hash = k.hash
  FROM (SELECT DISTINCT ON (node) node, hash FROM tokens
         WHERE node <> '' AND NOT revoked ORDER BY node, created_at DESC, hash) k
 WHERE k.node = n.name AND NOT n.removed;
CREATE UNIQUE INDEX nodes_key ON nodes (key_hash) WHERE key_hash <> '' AND NOT removed;
CREATE UNIQUE INDEX nodes_join ON nodes (join_hash) WHERE join_hash <> '' AND NOT removed;

DELETE FROM tokens WHERE member IS NULL;
ALTER TABLE tokens DROP CONSTRAINT tokens_check;
ALTER TABLE tokens ALTER COLUMN member SET NOT NULL;
ALTER TABLE tokens DROP COLUMN node, DROP COLUMN tier, DROP COLUMN source;

-- What an order said when it was sent: proofs that an attempt is over are about these.
ALTER TABLE attempts ADD COLUMN start_within_us bigint NOT NULL DEFAULT 0
    CHECK (start_within_us >= 0);
ALTER TABLE attempts ADD COLUMN fence_us bigint NOT NULL DEFAULT 0 CHECK (fence_us >= 0);
UPDATE attempts a
   SET start_within_us = 60000000 + t.staging_limit_us, fence_us = t.fence_us
  FROM tiers t
 WHERE t.id = a.tier AND a.ended_at IS NULL;
