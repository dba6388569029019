// Parameters of a query in PostgreSQL's binary form: scalars, and arrays for statements that write
// many rows at once. Instants travel as timestamptz (microseconds since 2000), exactly:
//
//   Timestamp::Never()  <->  'infinity'
//   Timestamp{} (unset) <->  'epoch' where the column is NOT NULL, NULL where it may be
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace pinka::db {

// Type ids of pg_type.dat; they are fixed for built-in types.
constexpr Oid kBoolOid = 16;
constexpr Oid kByteaOid = 17;
constexpr Oid kInt8Oid = 20;
constexpr Oid kInt4Oid = 23;
constexpr Oid kTextOid = 25;
constexpr Oid kTimestamptzOid = 1184;
constexpr int64_t kPostgresEpochMicros = 946'684'800'000'000;  // 2000-01-01 in unix microseconds

int64_t ToPostgresTime(Timestamp at);
Timestamp FromPostgresTime(int64_t micros);

// Big-endian append and read.
void Append32(int32_t value, std::string* out);
void Append64(int64_t value, std::string* out);
int32_t Read32(const char* at);
int64_t Read64(const char* at);

// One column of an unnest: a one-dimensional array of one element type.
class ArrayColumn {
 public:
  explicit ArrayColumn(Oid element) : element_(element) {}
  void Null();
  void Bool(bool value);
  void Int32(int32_t value);
  void Int64(int64_t value);
  void Time(Timestamp at) { Int64(ToPostgresTime(at)); }
  void Text(std::string_view value);  // also bytea
  Oid element() const { return element_; }
  Oid array_oid() const;
  std::string Encode() const;

 private:
  Oid element_;
  int32_t count_ = 0;
  bool has_null_ = false;
  std::string body_;
};

class Params {
 public:
  Params& Int(int64_t value);
  Params& MaybeInt(std::optional<int64_t> value);
  Params& Int32(int32_t value);
  Params& Bool(bool value);
  Params& Text(std::string_view value);
  Params& MaybeText(const std::optional<std::string>& value);
  Params& At(Timestamp at);       // unset: epoch
  Params& MaybeAt(Timestamp at);  // unset: NULL
  Params& Ints(const std::vector<int64_t>& values);
  Params& Texts(const std::vector<std::string>& values);
  Params& Array(const ArrayColumn& column);
  Params& Rows(std::string rows);  // of RowEncoder; the query names the type

  int size() const { return static_cast<int>(values_.size()); }
  const std::vector<Oid>& types() const { return types_; }
  // Filled for libpq; valid while the Params lives and is not added to.
  struct Raw {
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
  };
  Raw raw() const;

 private:
  Params& Add(Oid type, std::optional<std::string> value);
  std::vector<Oid> types_;
  std::vector<std::optional<std::string>> values_;
};

}  // namespace pinka::db
