// The sums that are kept with the entries (migration 0015): the same however they came about, and
// reports from them say what the entries say.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "db/reads.h"
#include "fmt/format.h"
#include "tests/db/check_history.h"

namespace pinka::db {
namespace {

using pinka::testing::MakeHistory;
using pinka::testing::StoreBooks;
using test::At;

class Sums : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    test::CoreWorld w;
    MakeHistory(w);
    for (const char* name : {"alice", "bob", "carol", "王芳"}) members_.push_back(w.Member(name));
    url_ = new std::string(StoreBooks(w));
  }

  // Says what the rows of both queries do not have in common.
  void Compare(const std::string& one, const std::string& other) {
    Run("CREATE TEMP TABLE one AS " + one + "; CREATE TEMP TABLE other AS " + other);
    const Status same = connection_.Script(
        "DO $x$ DECLARE bad text; BEGIN SELECT string_agg(d::text, E'\\n') INTO bad FROM "
        "((TABLE one EXCEPT ALL TABLE other) UNION ALL (TABLE other EXCEPT ALL TABLE one)) d; "
        "IF bad IS NOT NULL THEN RAISE '%', bad; END IF; END $x$");
    EXPECT_TRUE(same.ok()) << same << "\n" << one << "\n" << other;
    if (same.ok()) Run("DROP TABLE one; DROP TABLE other");
  }
  void Run(const std::string& sql) {
    const Status status = connection_.Script(sql);
    ASSERT_TRUE(status.ok()) << status << "\n" << sql;
  }
  // Rows that the check would name.
  int Wrong(const char* check) {
    const StatusOr<Result> rows = connection_.Exec(check, Params().Int(10));
    EXPECT_TRUE(rows.ok()) << rows.status();
    return rows.ok() ? rows->rows() : -1;
  }

  static inline std::string* url_ = nullptr;
  static inline std::vector<MemberId> members_;
  Connection connection_{*url_, "session_store"};
};

TEST_F(Sums, OfNewEntriesAreThoseOfAllEntries) {
  Run("BEGIN");
  Run("CREATE TEMP TABLE days AS TABLE usage_days; CREATE TEMP TABLE months AS TABLE lot_months");
  Run("SELECT fill_sums()");
  Compare("TABLE days", "TABLE usage_days");
  Compare("TABLE months", "TABLE lot_months");
  Run("ROLLBACK");
}

// Instant by instant, and in batches of other sizes: what an attempt posts at once is in one.
TEST_F(Sums, AddUpBatchByBatch) {
  for (const int size : {1, 3, 17}) {
    Run("BEGIN; SET LOCAL session_replication_role = replica");
    Run("CREATE TEMP TABLE days AS TABLE usage_days; CREATE TEMP TABLE months AS TABLE lot_months");
    Run("CREATE TEMP TABLE entries AS SELECT *, dense_rank() OVER (ORDER BY at) AS instant"
        " FROM transfers");
    Run("DELETE FROM transfers; DELETE FROM usage_days; DELETE FROM lot_months");
    Run("ALTER TABLE transfers ENABLE ALWAYS TRIGGER sums");
    Run(fmt::format(
        "DO $x$ DECLARE n bigint; BEGIN FOR n IN SELECT DISTINCT instant / {0} FROM entries LOOP "
        "INSERT INTO transfers SELECT (jsonb_populate_record(NULL::transfers, to_jsonb(e))).* "
        "FROM entries e WHERE instant / {0} = n; END LOOP; END $x$",
        size));
    Compare("TABLE days", "TABLE usage_days");
    Compare("TABLE months", "TABLE lot_months");
    Run("ROLLBACK");
  }
}

TEST_F(Sums, OfAnyWindowAreItsEntries) {
  SeededRandom random(11);
  const Timestamp from = At(2026, 9, 1);
  const auto span = static_cast<uint64_t>((At(2026, 12, 1) - from).micros());
  const auto any = [&](bool whole_day) {
    const auto micros = static_cast<int64_t>(random.Next() % span);
    const int64_t day = int64_t{24} * 3'600'000'000;
    return from + Duration::Micros(whole_day ? micros / day * day : micros);
  };
  for (int round = 0; round < 60; ++round) {
    Timestamp a = any(round % 3 == 0);
    Timestamp b = round % 5 == 0 ? a + Duration::Hours(3) : any(round % 2 == 0);
    if (b < a) std::swap(a, b);
    SCOPED_TRACE(fmt::format("round {}", round));
    const std::string window = fmt::format(
        "'epoch'::timestamptz + interval '{} us', 'epoch'::timestamptz + interval '{} us'",
        a.micros(), b.micros());
    const std::string to = fmt::format("'epoch'::timestamptz + interval '{} us'", b.micros());
    Compare(
        "SELECT job, part, member, project, tier, source, node, units, sum(amount) AS amount,"
        " sum(unit_ms) AS unit_ms, sum(wasted) AS wasted, sum(attempts) AS attempts,"
        " sum(shared) AS shared, min(wait_us) AS wait_us FROM usage_between(" +
            window + ", 0) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8",
        "SELECT job, part, member, project, tier, source, node, units, sum(amount) AS amount,"
        " sum(unit_ms) AS unit_ms, sum(wasted + late) AS wasted, sum(attempts + open) AS attempts,"
        " sum(shared + open_shared) AS shared, min(wait_us) AS wait_us FROM usage_of_window(" +
            window + ", " + to + ") GROUP BY 1, 2, 3, 4, 5, 6, 7, 8");
  }
}

TEST_F(Sums, OfOneJobAreItsPartOfAll) {
  Compare("SELECT * FROM usage_between('-infinity', 'infinity', 0) WHERE job IN (1, 9)",
          "SELECT * FROM usage_between('-infinity', 'infinity', 1) UNION ALL"
          " SELECT * FROM usage_between('-infinity', 'infinity', 9)");
}

TEST_F(Sums, FollowTheLabsZone) {
  Run("CREATE TEMP TABLE days AS TABLE usage_days");
  for (const char* zone : {"America/New_York", "Asia/Shanghai"}) {
    Run(fmt::format("UPDATE lab SET timezone = '{}'", zone));
    EXPECT_EQ(Wrong("check_sums_usage"), 0) << zone;
    EXPECT_EQ(Wrong("check_sums_lots"), 0) << zone;
  }
  Compare("TABLE days", "TABLE usage_days");
}

// semantics.md 10: closing = next opening, wherever the cut is.
TEST_F(Sums, GiveTheOpeningOfAnyMoment) {
  ReadPool pool(*url_, 1);
  SeededRandom random(12);
  for (const MemberId member : members_) {
    for (int round = 0; round < 6; ++round) {
      const Timestamp cut =
          At(2026, 9, 1) +
          Duration::Micros(static_cast<int64_t>(random.Next() % 7'000'000'000'000));
      const auto before = ReadStatement(pool, member, At(2026, 1, 1), cut);
      const auto after = ReadStatement(pool, member, cut, At(2027, 1, 1));
      ASSERT_TRUE(before.ok() && after.ok());
      Money closing = before->opening;
      for (const StatementEntry& entry : before->entries) {
        if (entry.section != "elsewhere") closing += entry.amount;
      }
      EXPECT_EQ(closing, after->opening) << member.value() << " " << round;
    }
  }
}

TEST_F(Sums, GiveThePoolItsParts) {
  ReadPool pool(*url_, 1);
  const auto lines = ReadPoolReport(pool, {}, Timestamp::Never());
  const auto usage = ReadUsage(pool, {.by = UsageBy::kTier});
  ASSERT_TRUE(lines.ok() && usage.ok()) << lines.status() << usage.status();
  ASSERT_FALSE(lines->empty());
  Money paid;
  Money wasted;
  for (const PoolLine& line : *lines) {
    EXPECT_EQ(line.used + line.wasted + line.idle + line.rest, line.paid) << line.tier;
    paid += line.paid;
    wasted += line.wasted;
  }
  Compare("SELECT sum(amount) FROM usage_days", fmt::format("SELECT {}::numeric", paid.micros()));
  EXPECT_EQ(wasted, usage->total.wasted);
  EXPECT_GT(wasted, Money());
}

// Two jobs of 20 and 25 minutes in one paid hour of 12.00: 4.00 + 5.00, idle 3.00 (semantics.md 9);
// and what a bill has beside them.
TEST_F(Sums, OfThePoolKnowIdleTimeAndTheRestOfTheBill) {
  Run("BEGIN; SET LOCAL session_replication_role = replica");
  Run("DELETE FROM transfers; DELETE FROM usage_days");
  Run("INSERT INTO accounts SELECT 90000 + row_number() OVER (), kind, 'lab', 0, 1 FROM "
      "unnest(ARRAY["
      "'idle', 'rounding', 'disk', 'egress', 'variance', 'voucher', 'unknown']) kind "
      "ON CONFLICT DO NOTHING");
  Run("ALTER TABLE transfers ENABLE ALWAYS TRIGGER sums");
  Run("INSERT INTO transfers (id, at, asset, debit, credit, amount, kind, reason, request_id, "
      "tier, "
      "source, payer_kind, payer_id, unit_ms) "
      "SELECT n, '2026-10-05', 1, CASE WHEN back THEN a.id ELSE x.id END, "
      "CASE WHEN back THEN x.id ELSE a.id END, yuan * 1000000, 'rental', '', '', t.id, "
      "'on_demand', "
      "'lab', 0, 0 FROM (VALUES (1, 'spent', 9, false), (2, 'idle', 3, false), "
      "(3, 'rounding', 2, false), (4, 'disk', 1, false), (5, 'voucher', 4, true)) "
      "v(n, kind, yuan, back) "
      "JOIN LATERAL (SELECT id FROM accounts c WHERE c.kind = v.kind AND c.asset = 1 ORDER BY id "
      "LIMIT "
      "1) a ON true, (SELECT min(id) AS id FROM accounts WHERE kind = 'external' AND asset = 1) x, "
      "(SELECT min(id) AS id FROM tiers) t");
  const StatusOr<Result> pool =
      connection_.Exec("pool_report", Params().At({}).At(Timestamp::Never()));
  ASSERT_TRUE(pool.ok()) << pool.status();
  ASSERT_EQ(pool->rows(), 1);
  Row row(*pool);
  ASSERT_TRUE(row.Next());
  row.Skip();  // the tier's name
  EXPECT_EQ(row.Int(), 11'000'000) << "paid";
  EXPECT_EQ(row.Int(), 9'000'000) << "used";
  EXPECT_EQ(row.Int(), 0) << "wasted";
  EXPECT_EQ(row.Int(), 3'000'000) << "idle";
  EXPECT_EQ(row.Int(), -1'000'000) << "rounding and disk less the voucher";
  Run("ROLLBACK");
}

}  // namespace
}  // namespace pinka::db
