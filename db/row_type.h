// What a table's row looks like to a query that inserts whole rows (whole_rows.h).
#pragma once

#include <libpq-fe.h>

#include <string>
#include <string_view>
#include <vector>

namespace pinka::db {

struct RowType {
  struct Column {
    Oid type = 0;
    int field = -1;  // which of the query's columns it is; -1: none
  };
  Oid oid = 0;                  // of the table's row
  std::vector<Column> columns;  // of the table, as it is
};

struct InsertTarget {
  std::string table;
  std::vector<std::string> columns;
};

// Of a query that holds "INSERT INTO table (columns)"; anything else is a programmer's error.
InsertTarget TargetOf(std::string_view query);

}  // namespace pinka::db
