// The answer to a query, in binary form. Columns are read in the order they were selected.
//
//   for (Row row(result); row.Next();) use(row.Int(), row.Text(), row.At());
//
// A column of another type than what is asked for is a programmer's error and aborts.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace pinka::db {

class Result {
 public:
  Result() = default;
  explicit Result(PGresult* raw) : raw_(raw, PQclear) {}
  int rows() const { return raw_ ? PQntuples(raw_.get()) : 0; }
  bool empty() const { return rows() == 0; }
  int64_t affected() const;
  PGresult* get() const { return raw_.get(); }

 private:
  std::unique_ptr<PGresult, decltype(&PQclear)> raw_{nullptr, PQclear};
};

class Row {
 public:
  explicit Row(const Result& result) : result_(result.get()), rows_(result.rows()) {}
  bool Next();

  bool IsNull() const;  // of the column that is read next
  bool Bool();
  int64_t Int();  // int2, int4, int8; NULL: 0
  int32_t Int32() { return static_cast<int32_t>(Int()); }
  double Double();
  std::string Text();  // text, bytea; NULL: ""
  Timestamp At();      // NULL and 'epoch': unset
  std::vector<int64_t> Ints();
  std::vector<std::string> Texts();
  void Skip() { ++column_; }

 private:
  std::string_view Value(std::initializer_list<Oid> types);
  PGresult* result_;
  int rows_;
  int row_ = -1;
  int column_ = 0;
};

}  // namespace pinka::db
