// Show 4 of the books: in a copy of a real history without constraints and triggers, one value is
// changed in each column that the check claims to guard, and the check must name the row.
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>

#include "fmt/format.h"
#include "scheduler/check/check.h"
#include "tests/db/check_history.h"
#include "tests/db/check_mutations.h"

namespace pinka::check {
namespace {

using pinka::testing::KeyOf;
using pinka::testing::Mutation;
using pinka::testing::Mutations;

// The database as a careless hand would find it: nothing refuses.
constexpr char kDropRefusals[] = R"(
DO $$ DECLARE r record; BEGIN
  FOR r IN SELECT conrelid::regclass AS tab, conname FROM pg_constraint
            WHERE contype IN ('c', 'f') AND connamespace = 'public'::regnamespace
              AND conparentid = 0 AND coninhcount = 0 LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', r.tab, r.conname);
  END LOOP;
  FOR r IN SELECT indexrelid::regclass AS index FROM pg_index i
            JOIN pg_class c ON c.oid = i.indexrelid
            WHERE indisunique AND NOT indisprimary AND c.relnamespace = 'public'::regnamespace
              AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)
              AND c.relkind = 'i' LOOP
    EXECUTE format('DROP INDEX %s', r.index);
  END LOOP;
END $$; ALTER TABLE lots DROP CONSTRAINT lots_account_key)";

// Talks to the database about rows to change, beside the connection that checks.
class Editor {
 public:
  explicit Editor(const std::string& url) : raw_(PQconnectdb(url.c_str()), PQfinish) {
    Run("SET TIME ZONE 'UTC'; SET session_replication_role = replica");
  }
  // The first row of the last statement; empty where there is none.
  std::vector<std::string> Run(const std::string& sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(raw_.get(), sql.c_str()),
                                                               PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    EXPECT_TRUE(status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
        << sql << ": " << PQerrorMessage(raw_.get());
    std::vector<std::string> row;
    for (int i = 0; PQntuples(result.get()) > 0 && i < PQnfields(result.get()); ++i)
      row.emplace_back(PQgetvalue(result.get(), 0, i));
    return row;
  }

 private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> raw_;
};

class CheckMutation : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    test::CoreWorld w;
    pinka::testing::MakeHistory(w);
    url_ = new std::string(pinka::testing::StoreBooks(w));
    Editor(*url_).Run(kDropRefusals);
  }

  static std::string Update(const Mutation& m, const std::string& ctid) {
    return fmt::format("UPDATE {} SET {} = {} WHERE ctid = '{}'", m.table, m.column, m.value, ctid);
  }

  Report CheckAfter(const std::string& update) {
    const Status changed = connection_.Script(
        "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL session_replication_role = replica; " +
        update);
    EXPECT_TRUE(changed.ok()) << changed;
    const StatusOr<Report> report = CheckInTransaction(connection_);
    EXPECT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(connection_.Script("ROLLBACK").ok());
    return report.ok() ? *report : Report();
  }

  static inline std::string* url_ = nullptr;
  db::Connection connection_{*url_, "session_store"};
};

// An attempt, its hold and its settlement are one row of three tables: their key is the attempt.
bool NamesRow(const Violation& v, const Mutation& m, const std::set<std::string>& keys) {
  static const std::set<std::string> of_attempts = {"attempts", "holds", "settlements"};
  const bool kin = of_attempts.contains(v.table) && of_attempts.contains(m.table);
  return (v.table == m.table || kin) && keys.contains(v.key);
}

TEST_F(CheckMutation, NamesTheRowOfEveryChangedValue) {
  Editor editor(*url_);
  std::cout << fmt::format("{:<28} {:<34} {:<20} {}\n", "column", "row", "caught by", "and");
  for (const Mutation& m : Mutations()) {
    const std::string name = m.table + "." + m.column;
    SCOPED_TRACE(name + " = " + m.value + " where " + m.where);
    const auto row =
        editor.Run(fmt::format("SELECT ctid, {0} FROM {1} WHERE {2} ORDER BY 2 LIMIT 1",
                               KeyOf(m.table), m.table, m.where));
    ASSERT_EQ(row.size(), 2u) << "the history has no such row";
    const std::string update = Update(m, row[0]);
    editor.Run("BEGIN");
    const auto changed = editor.Run(update + " RETURNING " + KeyOf(m.table));
    editor.Run("ROLLBACK");
    ASSERT_EQ(changed.size(), 1u);
    const std::set<std::string> keys = {row[1], changed[0]};
    const Report report = CheckAfter(update);
    std::vector<std::string> rules;
    for (const Violation& v : report.violations) {
      if (NamesRow(v, m, keys) && std::ranges::find(rules, v.rule) == rules.end()) {
        rules.push_back(v.rule);
      }
    }
    if (rules.empty()) {
      std::ostringstream said;
      Print(report, said);
      ADD_FAILURE() << "not named: row " << row[1] << "\n" << said.str();
      continue;
    }
    std::string others;
    for (size_t i = 1; i < rules.size(); ++i) others += rules[i] + " ";
    std::cout << fmt::format("{:<28} {:<34} {:<20} {}\n", name, row[1], rules[0], others);
  }
  EXPECT_TRUE(CheckAfter("SELECT 1").in_order());
}

// Books that agree with each other and are wrong all the same: only the replay sees it.

std::string Only(const Report& report) {
  std::string said;
  for (const Violation& v : report.violations) said += v.rule + " " + v.table + " " + v.key + "\n";
  return said;
}

TEST_F(CheckMutation, NoticesAHoldOnALotThatBurnsLater) {
  // The open hold of bob has taken nothing of his own lot: both lines lie on the lab's.
  const Report report = CheckAfter(
      "UPDATE lots SET held = held + (SELECT amount FROM hold_lines WHERE job = 10 AND n = 0)"
      " WHERE id = (SELECT lot FROM hold_lines WHERE job = 10 AND n = 1);"
      "UPDATE lots SET held = 0 WHERE id = (SELECT lot FROM hold_lines WHERE job = 10 AND n = 0);"
      "UPDATE hold_lines SET lot = (SELECT lot FROM hold_lines WHERE job = 10 AND n = 1)"
      " WHERE job = 10 AND n = 0");
  EXPECT_EQ(Only(report), "hold.burn hold_lines 10_0.1/0\nhold.burn hold_lines 10_0.1/1\n");
}

TEST_F(CheckMutation, NoticesAHoldBeyondWhatItsLotHad) {
  const std::string lot = "(SELECT lot FROM hold_lines WHERE job = 10 AND n = 0)";
  const Report report =
      CheckAfter("UPDATE lots SET credited = credited - 1 WHERE id = " + lot +
                 "; UPDATE transfers SET amount = amount - 1 WHERE kind = 'deposit' AND credit ="
                 " (SELECT account FROM lots WHERE id = " +
                 lot + "); SELECT fill_sums()");
  ASSERT_EQ(report.violations.size(), 1u) << Only(report);
  EXPECT_EQ(report.violations[0].rule, "lot.floor");
}

TEST_F(CheckMutation, NoticesAnEntryWhoseAccountIsNotThere) {
  const Report report = CheckAfter(
      "DELETE FROM accounts WHERE id = (SELECT min(id) FROM accounts WHERE kind = 'lapsed'"
      " AND asset <> 1)");
  std::set<std::string> rules;
  for (const Violation& v : report.violations) rules.insert(v.rule);
  EXPECT_EQ(rules, (std::set<std::string>{"account.zero", "transfer.sides"}));
}

// For docs/ledger.md: what one micro-unit too much looks like.
TEST_F(CheckMutation, SaysWhatIsWrongAndWhere) {
  std::ostringstream said;
  Print(CheckAfter("UPDATE transfers SET amount = amount + 1 WHERE id ="
                   " (SELECT min(id) FROM transfers WHERE kind = 'charge')"),
        said);
  std::cout << said.str();
  EXPECT_NE(said.str().find("charge.posting: Every posting is the cost"), std::string::npos);
  EXPECT_NE(said.str().find(" rules broken, "), std::string::npos);
}

}  // namespace
}  // namespace pinka::check
