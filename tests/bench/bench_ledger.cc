// Reports over a long history: a member's statement and the lab's month beside a plain aggregate
// over the same table in the same run, so that only ratios count; and what it costs a batch of 64
// charges to keep the sums that they read.
//
//   bench_ledger [--transfers N]    default 1,000,000
//   bench_ledger --database URL     a history that was filled before
//
// The history: 24 months up to October 2026, 50 members with a lot of their own each, arrays of ten
// tasks, one charge an attempt, one in twenty paid by the lab, one in ten attempts failed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "base/parse.h"
#include "db/connection.h"
#include "db/reads.h"
#include "fmt/format.h"
#include "tests/support/postgres.h"

namespace pinka {
namespace {

constexpr int kRounds = 5;
constexpr Timestamp kMonth = Timestamp::Seconds(1'793'462'400 - 31 * 86'400);  // 2026-10, Shanghai
constexpr Timestamp kMonthEnd = Timestamp::Seconds(1'793'462'400);

// {0}: transfers. The triggers that judge new rows are off for the session, indexes are made at the
// end.
constexpr const char* kFill = R"(
SET session_replication_role = replica;
CREATE TEMP TABLE made_later AS SELECT indexname, indexdef FROM pg_indexes
 WHERE tablename IN ('jobs', 'attempts', 'transfers') AND indexname NOT LIKE '%_pkey';
DO $$ DECLARE r record; BEGIN
  FOR r IN SELECT * FROM made_later LOOP EXECUTE format('DROP INDEX %I', r.indexname); END LOOP;
END $$;
INSERT INTO lab SELECT true, 'bench', 'bench', 'CNY', 'Asia/Shanghai', 'queue', 0, 24, 1, 1, 1, 1,
       1000, 1000, 1, 1, now();
INSERT INTO members SELECT m, 'member ' || m, 1, false, false FROM generate_series(1, 50) m;
INSERT INTO projects SELECT p, 'project ' || p, '{{}}' FROM generate_series(1, 5) p;
INSERT INTO tiers SELECT t, 'tier ' || t, '', 1, 1, 1, 1, 1, 0, 0, false, 0
  FROM generate_series(1, 4) t;
INSERT INTO accounts SELECT m, 'lot', 'member', m, 1 FROM generate_series(1, 50) m;
INSERT INTO accounts SELECT 100 + m, 'spent', 'member', m, 1 FROM generate_series(1, 50) m;
INSERT INTO accounts VALUES (201, 'external', 'lab', 0, 1), (202, 'overhead_node', 'lab', 0, 1);
INSERT INTO jobs SELECT j, 1 + j % 50, 1 + j % 5, 1 + j % 4, 1, 1, 1, 1, 3600000000, 0, 'normal', 0,
       0, false, '{{}}', '', '', 10, 0, at, at, '{{}}', '{{}}', '{{}}', '', 'COMPLETED', at,
       array_fill(0, '{{15}}')
  FROM (SELECT j, timestamptz '2024-10-31 16:00Z' + j * (interval '730 days' / ({0} / 10)) AS at
          FROM generate_series(1, {0} / 10) j) x;
INSERT INTO attempts SELECT j, i, 1, 1 + j % 8, 1 + j % 50, 1 + j % 5, 1 + j % 4, 1, '{{0}}', 'ENDED',
       'forget', '', 'on_demand', 12000000, 1, 3600000000, 0, at, at, at, 600000, at, 0, 0, 'Exited',
       true, CASE WHEN (j + i) % 10 = 0 THEN 1 ELSE 0 END, 0, '', true
  FROM (SELECT j, i, timestamptz '2024-10-31 16:00Z' + j * (interval '730 days' / ({0} / 10)) AS at
          FROM generate_series(1, {0} / 10) j, generate_series(0, 9) i) x;
INSERT INTO transfers SELECT (j - 1) * 10 + i + 1, at, 1,
       CASE WHEN lab THEN 201 ELSE 1 + j % 50 END, CASE WHEN lab THEN 202 ELSE 101 + j % 50 END,
       2000000 + j % 977 * 7 + i, CASE WHEN lab THEN 'overhead' ELSE 'charge' END, '', NULL, '',
       1 + j % 50, 1 + j % 5, j, i, 1, 1 + j % 4, 'on_demand', 1 + j % 8,
       CASE WHEN lab THEN 'lab' ELSE 'member' END, CASE WHEN lab THEN 0 ELSE 1 + j % 50 END, 600000
  FROM (SELECT j, i, (j + i) % 20 = 0 AS lab,
               timestamptz '2024-10-31 16:00Z' + j * (interval '730 days' / ({0} / 10)) AS at
          FROM generate_series(1, {0} / 10) j, generate_series(0, 9) i) x;
INSERT INTO nodes SELECT n, 'node ' || n, 1, 'READY', '', false, true, 1, 1, 1, '[]', '', 0, '', 0,
       false FROM generate_series(1, 8) n;
DO $$ DECLARE r record; BEGIN
  FOR r IN SELECT * FROM made_later LOOP EXECUTE r.indexdef; END LOOP;
END $$;
SET session_replication_role = origin;
)";

// One more charge of 64 attempts, at the end of the history, and back.
constexpr const char* kBatch = R"(
BEGIN;
INSERT INTO transfers (id, at, asset, debit, credit, amount, kind, reason, request_id, member, project,
                       job, index, number, tier, source, node, payer_kind, payer_id, unit_ms)
SELECT id + 1000000000, '2026-11-01', asset, debit, credit, amount, kind, reason, request_id, member,
       project, job, index, number, tier, source, node, payer_kind, payer_id, unit_ms
  FROM transfers WHERE id <= 640 AND id % 10 = 1 AND kind = 'charge';
ROLLBACK;
)";

// The median of a few runs, after one that warms up; in milliseconds.
double Median(const char* what, const std::function<size_t()>& run) {
  const SystemClock clock;
  std::vector<double> times;
  const size_t rows = run();
  for (int i = 0; i < kRounds; ++i) {
    const Duration began = clock.Monotonic();
    run();
    times.push_back(static_cast<double>((clock.Monotonic() - began).micros()) / 1e3);
  }
  std::ranges::sort(times);
  fmt::print("{:<44} {:>9.1f} ms   {:>7} rows\n", what, times[kRounds / 2], rows);
  fflush(stdout);
  return times[kRounds / 2];
}

size_t Usage(db::ReadPool& pool, db::UsageBy by, MemberId member = {}) {
  auto report = db::ReadUsage(pool, {.by = by, .member = member, .from = kMonth, .to = kMonthEnd});
  if (!report.ok()) fmt::print(stderr, "{}\n", Message(report.status()));
  return report.ok() ? report->lines.size() : 0;
}

size_t Statement(db::ReadPool& pool) {
  auto statement = db::ReadStatement(pool, MemberId(7), kMonth, kMonthEnd);
  if (!statement.ok()) fmt::print(stderr, "{}\n", Message(statement.status()));
  return statement.ok() ? statement->entries.size() : 0;
}

// What any report must at least do: read every row once.
size_t Aggregate(db::Connection& connection) {
  const Status status =
      connection.Script("SELECT kind, count(*), sum(amount) FROM transfers GROUP BY kind");
  if (!status.ok()) fmt::print(stderr, "{}\n", Message(status));
  return 2;
}

// Windows that cut a day read the entries of that day.
size_t UsageOfCutDays(db::ReadPool& pool) {
  auto report = db::ReadUsage(
      pool, {.from = kMonth + Duration::Hours(7), .to = kMonthEnd - Duration::Hours(7)});
  if (!report.ok()) fmt::print(stderr, "{}\n", Message(report.status()));
  return report.ok() ? report->lines.size() : 0;
}

size_t Pool(db::ReadPool& pool) {
  auto report = db::ReadPoolReport(pool, kMonth, kMonthEnd);
  if (!report.ok()) fmt::print(stderr, "{}\n", Message(report.status()));
  return report.ok() ? report->size() : 0;
}

size_t Script(db::Connection& connection, const std::string& sql) {
  const Status status = connection.Script(sql);
  if (!status.ok()) fmt::print(stderr, "{}\n", Message(status));
  return 0;
}

void BenchBatch(db::Connection& connection, bool may_change) {
  const double kept = Median("a batch of charges", [&] { return Script(connection, kBatch); });
  if (!may_change) return;
  Script(connection, "ALTER TABLE transfers DISABLE TRIGGER sums");
  const double bare = Median("the same without sums", [&] { return Script(connection, kBatch); });
  fmt::print("batch with sums / without {:.2f}\n", kept / bare);
}

bool Fill(db::Connection& connection, int64_t transfers) {
  for (const std::string& sql : {fmt::format(kFill, transfers), std::string("SELECT fill_sums()"),
                                 std::string("VACUUM ANALYZE")}) {
    if (Status status = connection.Script(sql); !status.ok()) {
      fmt::print(stderr, "{}\n", Message(status));
      return false;
    }
  }
  fmt::print("{} transfers, 24 months, 50 members; medians of {}\n", transfers, kRounds);
  return true;
}

int Main(int64_t transfers, const std::string& filled) {
  const std::string url = filled.empty() ? testing::FreshDatabase() : filled;
  db::Connection connection(url, "");
  if (filled.empty() && !Fill(connection, transfers)) return 1;
  db::ReadPool pool(url, 1);
  const double plain =
      Median("plain aggregate over all transfers", [&] { return Aggregate(connection); });
  const double statement =
      Median("a member's statement of a month", [&] { return Statement(pool); });
  const double month =
      Median("the lab's month by member", [&] { return Usage(pool, db::UsageBy::kMember); });
  Median("the same, first and last day cut", [&] { return UsageOfCutDays(pool); });
  Median("the pool's month", [&] { return Pool(pool); });
  Median("the lab's month by day", [&] { return Usage(pool, db::UsageBy::kDay); });
  Median("the lab's month by job", [&] { return Usage(pool, db::UsageBy::kJob); });
  Median("one member's month by tier",
         [&] { return Usage(pool, db::UsageBy::kTier, MemberId(7)); });
  fmt::print("\nstatement / aggregate {:.3f}   month / aggregate {:.3f}\n", statement / plain,
             month / plain);
  BenchBatch(connection, filled.empty());
  return 0;
}

}  // namespace
}  // namespace pinka

int main(int argc, char** argv) {
  int64_t transfers = 1'000'000;
  std::string filled;
  if (argc == 3 && strcmp(argv[1], "--transfers") == 0) {
    const auto wanted = pinka::ParseInt(argv[2], 1'000, 1'000'000'000, "--transfers");
    if (!wanted.ok()) return fprintf(stderr, "%s\n", pinka::Message(wanted.status()).c_str()), 2;
    transfers = *wanted;
  } else if (argc == 3 && strcmp(argv[1], "--database") == 0) {
    filled = argv[2];
  }
  return pinka::Main(transfers, filled);
}
