// The SQL that is compiled in: migrations whole, queries by name. A query file holds blocks
//
//   -- name: list_jobs
//   SELECT ...
//
// and C++ refers to them by name only. Thread-safe after first use.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pinka::db {

struct SqlFile {
  std::string_view path;  // relative to db/: "queries/jobs.sql"
  std::string_view text;
};

const std::vector<SqlFile>& SqlFiles();

// All queries by name. A name given twice aborts.
const std::map<std::string, std::string, std::less<>>& Queries();

// The text of one query; an unknown name is a programmer's error and aborts.
const std::string& Query(std::string_view name);

}  // namespace pinka::db
