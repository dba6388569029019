-- Sums of the entries, kept with them in the same statement: what reports would add up over a long
-- history. Exact at every commit; `pinkad check` recomputes them (sums.usage, sums.lots).

-- Whose part of a tier's cost an account stands for; none: money that was not used.
CREATE FUNCTION usage_part(kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN kind = 'spent' THEN 'member'
              WHEN kind LIKE 'overhead\_%' THEN 'lab'
              WHEN kind IN ('idle', 'rounding', 'disk', 'egress', 'variance', 'voucher', 'unknown')
                THEN kind END
$$;

-- Whether an attempt was paid for in vain: it ended neither well nor by a cancel, nor to be run again.
CREATE FUNCTION ended_in_vain(end_reason text, exited boolean, exit_code integer, signal integer)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT end_reason NOT IN ('', 'RunAgain', 'CancelledByUser', 'CancelledByAdmin')
         AND NOT (end_reason = 'Exited' AND exited AND exit_code = 0 AND signal = 0)
$$;

CREATE FUNCTION lab_zone() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT timezone FROM lab), 'UTC')
$$;

-- One row a day of the lab's zone, job and what reports group by; 0 where an entry names none. What
-- reaches an account of the part counts, what leaves it counts against.
CREATE TABLE usage_days (
  day      date NOT NULL,
  job      bigint NOT NULL,
  part     text NOT NULL,     -- usage_part
  member   bigint NOT NULL,
  project  bigint NOT NULL,
  tier     bigint NOT NULL,
  source   text NOT NULL,
  node     bigint NOT NULL,
  units    integer NOT NULL,  -- of the attempt
  amount   bigint NOT NULL,   -- money only
  unit_ms  bigint NOT NULL,
  wasted   bigint NOT NULL,   -- of the amount: posted when the attempt had ended in vain
  running  bigint NOT NULL,   -- entries posted while the attempt ran
  attempts bigint NOT NULL,   -- settled that day
  shared   bigint NOT NULL,   -- of the lab's attempts: paid for by a member as well
  wait_us  bigint,            -- the shortest from the submit to the start of an attempt
  PRIMARY KEY (day, job, part, member, project, tier, source, node, units)
) WITH (fillfactor = 80);

-- What moved a lot's account in a month of the lab's zone.
CREATE TABLE lot_months (
  account bigint NOT NULL,
  month   date NOT NULL,      -- its first day
  net     bigint NOT NULL,
  PRIMARY KEY (account, month)
) WITH (fillfactor = 50);

-- One text for the sums of new entries (touched), of a window, of a job and of all. In all but the last
-- attempts are found by the index, whatever is estimated: OFFSET 0.
DO $do$
DECLARE
  usage text := $sum$
    SELECT e.day, e.job, e.part, e.member, e.project, e.tier, e.source, e.node, e.units,
           sum(e.amount)::bigint AS amount, sum(e.unit_ms)::bigint AS unit_ms,
           coalesce(sum(e.amount) FILTER (WHERE e.vain AND e.after), 0)::bigint AS wasted,
           count(*) FILTER (WHERE NOT e.after) AS running,
           %3$s
           count(DISTINCT e.task) FILTER (WHERE e.after AND e.posted) AS attempts,
           count(DISTINCT e.task) FILTER (WHERE e.after AND e.posted AND e.part = 'lab' AND e.charged)
             AS shared,
           min(e.wait_us) AS wait_us
      FROM (SELECT (t.at AT TIME ZONE z.zone)::date AS day, coalesce(t.job, 0) AS job,
                   c.part, coalesce(t.member, 0) AS member, coalesce(t.project, 0) AS project,
                   coalesce(t.tier, 0) AS tier, t.source, coalesce(t.node, 0) AS node,
                   coalesce(a.units, 0) AS units,
                   CASE WHEN t.asset = 1 THEN s.sign * t.amount ELSE 0 END AS amount,
                   s.sign * t.unit_ms AS unit_ms,
                   t.index * 4294967296 + t.number AS task,
                   coalesce(a.ended_at <= t.at, t.job IS NULL) AS after,
                   coalesce(a.vain, false) AS vain,
                   t.job IS NOT NULL AND t.kind IN ('charge', 'overhead') AS posted,
                   %4$s
                   bool_or(c.part = 'member' AND t.kind = 'charge')
                     OVER (PARTITION BY t.job, t.index, t.number, t.at) AS charged,
                   (extract(epoch FROM a.started_at - j.submitted_at) * 1000000)::bigint AS wait_us
              FROM (SELECT coalesce((SELECT timezone FROM lab), 'UTC') AS zone OFFSET 0) z
             CROSS JOIN %1$s t
             CROSS JOIN LATERAL (VALUES (t.credit, 1), (t.debit, -1)) s(account, sign)
             CROSS JOIN LATERAL (SELECT usage_part(x.kind) AS part FROM accounts x
                                  WHERE x.id = s.account %2$s) c
              LEFT JOIN LATERAL (SELECT x.units, x.started_at, x.ended_at,
                                        ended_in_vain(x.end_reason, x.exited, x.exit_code, x.signal)
                                          AS vain
                                   FROM attempts x
                                  WHERE (x.job, x.index, x.number) = (t.job, t.index, t.number)
                                  %2$s) a ON true
              LEFT JOIN LATERAL (SELECT x.submitted_at FROM jobs x WHERE x.id = t.job %2$s) j ON true
             WHERE c.part IS NOT NULL) e
     GROUP BY e.day, e.job, e.part, e.member, e.project, e.tier, e.source, e.node, e.units$sum$;
  months text := $sum$
    SELECT s.account, date_trunc('month', t.at AT TIME ZONE z.zone)::date AS month,
           sum(s.sign * t.amount)::bigint AS net
      FROM (SELECT coalesce((SELECT timezone FROM lab), 'UTC') AS zone OFFSET 0) z
     CROSS JOIN %1$s t
     CROSS JOIN LATERAL (VALUES (t.credit, 1), (t.debit, -1)) s(account, sign)
     CROSS JOIN LATERAL (SELECT x.id FROM accounts x
                          WHERE x.id = s.account AND x.kind = 'lot' %2$s) c
     GROUP BY 1, 2$sum$;
  -- Of the amount: posted while an attempt ran that ended in vain later. Attempts of which this is the
  -- last posting before `until_at`, though they ran on.
  late text := $sum$coalesce(sum(e.amount) FILTER (WHERE e.vain AND NOT e.after), 0)::bigint AS late,
                    count(DISTINCT e.task) FILTER (WHERE e.open) AS open,
                    count(DISTINCT e.task)
                      FILTER (WHERE e.open AND e.part = 'lab' AND e.charged) AS open_shared,$sum$;
  open text := $sum$CASE WHEN t.kind NOT IN ('charge', 'overhead') OR a.units IS NULL
                             OR a.ended_at <= t.at THEN false
                        ELSE NOT EXISTS (
                          SELECT FROM transfers l
                           WHERE (l.job, l.index, l.number) = (t.job, t.index, t.number)
                             AND l.kind IN ('charge', 'overhead')
                             AND l.at > t.at AND l.at < until_at) END AS open,$sum$;
  columns text := $sum$(day date, job bigint, part text, member bigint, project bigint, tier bigint,
    source text, node bigint, units integer, amount bigint, unit_ms bigint, wasted bigint,
    running bigint, late bigint, open bigint, open_shared bigint, attempts bigint, shared bigint,
    wait_us bigint)$sum$;
BEGIN
  EXECUTE format('CREATE FUNCTION usage_of_window(from_at timestamptz, to_at timestamptz,
      until_at timestamptz)
    RETURNS TABLE %s LANGUAGE sql STABLE AS $f$ %s $f$', columns,
    format(usage, '(SELECT * FROM transfers x WHERE x.at >= from_at AND x.at < to_at)', 'OFFSET 0',
           late, open));
  EXECUTE format('CREATE FUNCTION usage_of_job(of_job bigint, from_at timestamptz,
      until_at timestamptz)
    RETURNS TABLE %s LANGUAGE sql STABLE AS $f$ %s $f$', columns,
    format(usage, '(SELECT * FROM transfers x
      WHERE x.job = of_job AND x.at >= from_at AND x.at < until_at)', 'OFFSET 0', late, open));
  EXECUTE format('CREATE FUNCTION add_sums() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
    INSERT INTO usage_days AS u %s
        ON CONFLICT (day, job, part, member, project, tier, source, node, units) DO UPDATE
       SET amount = u.amount + excluded.amount, unit_ms = u.unit_ms + excluded.unit_ms,
           wasted = u.wasted + excluded.wasted, running = u.running + excluded.running,
           attempts = u.attempts + excluded.attempts, shared = u.shared + excluded.shared,
           wait_us = least(u.wait_us, excluded.wait_us);
    INSERT INTO lot_months AS m %s
        ON CONFLICT (account, month) DO UPDATE SET net = m.net + excluded.net;
    RETURN NULL;
  END $f$', format(usage, 'touched', 'OFFSET 0', '', ''), format(months, 'touched', 'OFFSET 0'));
  EXECUTE format('CREATE FUNCTION fill_sums() RETURNS void LANGUAGE plpgsql AS $f$ BEGIN
    DELETE FROM usage_days;
    DELETE FROM lot_months;
    INSERT INTO usage_days %s;
    INSERT INTO lot_months %s;
  END $f$', format(usage, 'transfers', '', '', ''), format(months, 'transfers', ''));
END $do$;

-- After `refers`, `linked` and `open_month`: triggers go by name.
CREATE TRIGGER sums AFTER INSERT ON transfers
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION add_sums();

-- Days and months are the lab's: another zone cuts the history elsewhere.
CREATE FUNCTION zone_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM fill_sums();
  RETURN NULL;
END $$;
CREATE TRIGGER zone_set AFTER INSERT ON lab FOR EACH ROW EXECUTE FUNCTION zone_changed();
CREATE TRIGGER zone_changed AFTER UPDATE ON lab FOR EACH ROW
  WHEN (old.timezone <> new.timezone) EXECUTE FUNCTION zone_changed();

-- [from_at, to_at) from the sums, days that it cuts from the entries; of one job (0: of all) from the
-- entries alone.
CREATE FUNCTION usage_between(from_at timestamptz, to_at timestamptz, of_job bigint)
RETURNS TABLE (day date, job bigint, part text, member bigint, project bigint, tier bigint,
  source text, node bigint, units integer, amount bigint, unit_ms bigint, wasted bigint,
  attempts bigint, shared bigint, wait_us bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  zone text := lab_zone();
  first_day date := (from_at AT TIME ZONE zone)::date;
  end_day date := (to_at AT TIME ZONE zone)::date;
BEGIN
  IF of_job <> 0 THEN
    RETURN QUERY
    SELECT o.day, o.job, o.part, o.member, o.project, o.tier, o.source, o.node, o.units, o.amount,
           o.unit_ms, o.wasted + o.late, o.attempts + o.open, o.shared + o.open_shared, o.wait_us
      FROM usage_of_job(of_job, from_at, to_at) o;
    RETURN;
  END IF;
  IF first_day::timestamp AT TIME ZONE zone < from_at THEN first_day := first_day + 1; END IF;
  IF first_day > end_day THEN  -- within a day
    RETURN QUERY
    SELECT w.day, w.job, w.part, w.member, w.project, w.tier, w.source, w.node, w.units, w.amount,
           w.unit_ms, w.wasted + w.late, w.attempts + w.open, w.shared + w.open_shared, w.wait_us
      FROM usage_of_window(from_at, to_at, to_at) w;
    RETURN;
  END IF;
  RETURN QUERY
  SELECT d.day, d.job, d.part, d.member, d.project, d.tier, d.source, d.node, d.units, d.amount,
         d.unit_ms, d.wasted + coalesce(o.late, 0), d.attempts + coalesce(o.open, 0),
         d.shared + coalesce(o.open_shared, 0), d.wait_us
    FROM usage_days d
    LEFT JOIN LATERAL (  -- few: what was posted at a month's end
     SELECT x.late, x.open, x.open_shared FROM usage_of_job(d.job, '-infinity', to_at) x
      WHERE (x.day, x.part, x.member, x.project, x.tier, x.source, x.node, x.units)
          = (d.day, d.part, d.member, d.project, d.tier, d.source, d.node, d.units)
        AND d.running > 0 OFFSET 0) o ON true
   WHERE d.day >= first_day AND d.day < end_day
  UNION ALL
  SELECT w.day, w.job, w.part, w.member, w.project, w.tier, w.source, w.node, w.units, w.amount,
         w.unit_ms, w.wasted + w.late, w.attempts + w.open, w.shared + w.open_shared, w.wait_us
    FROM (VALUES (from_at, first_day::timestamp AT TIME ZONE zone),
                 (end_day::timestamp AT TIME ZONE zone, to_at)) edge(start_at, end_at)
   CROSS JOIN LATERAL usage_of_window(edge.start_at, edge.end_at, to_at) w
   WHERE edge.start_at < edge.end_at;
END $$;

SELECT fill_sums();
