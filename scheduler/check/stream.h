// Rows of a cursor, a few thousand at a time. `name` names a pair of queries, check_open_<name>
// and check_next_<name>; the cursor lives until the transaction ends, or until Close.
//
//   Stream tasks(connection, "tasks");
//   while (tasks.Next()) use(tasks.row().Int());
//   if (!tasks.status().ok()) ...
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "db/connection.h"

namespace pinka::check {

class Stream {
 public:
  Stream(db::Connection& connection, const std::string& name);
  Stream(const Stream&) = delete;
  // False at the end or after a failure.
  bool Next();
  db::Row& row() { return *row_; }
  const Status& status() const { return status_; }

 private:
  bool Fetch();
  db::Connection& connection_;
  std::string next_;
  Status status_;
  bool end_ = false;
  db::Result result_;
  std::optional<db::Row> row_;
};

}  // namespace pinka::check
