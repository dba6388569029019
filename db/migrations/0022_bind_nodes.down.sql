ALTER TABLE attempts DROP COLUMN fence_us, DROP COLUMN start_within_us;
ALTER TABLE tokens ADD COLUMN node text NOT NULL DEFAULT '';
ALTER TABLE tokens ALTER COLUMN node DROP DEFAULT;
ALTER TABLE tokens ADD COLUMN tier bigint REFERENCES tiers;
ALTER TABLE tokens ADD COLUMN source text NOT NULL DEFAULT 'on_demand'
    CHECK (source IN ('owned', 'package', 'spot', 'on_demand', 'trial'));
ALTER TABLE tokens ALTER COLUMN member DROP NOT NULL;
ALTER TABLE tokens ADD CONSTRAINT tokens_check CHECK ((member IS NULL) = (node <> ''));
INSERT INTO tokens (hash, member, node, tier, created_at, revoked, source)
SELECT key_hash, NULL, name, tier, now(), removed, source FROM nodes WHERE key_hash <> ''
    ON CONFLICT DO NOTHING;
ALTER TABLE nodes DROP CONSTRAINT nodes_join_token;
ALTER TABLE nodes DROP COLUMN join_used, DROP COLUMN join_until, DROP COLUMN join_hash,
  DROP COLUMN key_hash;
