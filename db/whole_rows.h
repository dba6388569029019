// Rows of one table as one parameter: an array of the table's own row type, in binary form. The
// server unpacks it once, where an array a column costs it a table in memory for each column.
//
//   INSERT INTO jobs (id, member, …) SELECT id, member, … FROM unnest($1::jobs[])
//
// Fields travel in the order of the table's columns; the query's column list says which of them is
// which field of Bind (columns_*.h). Columns that the list has not, and those after the last field,
// travel as NULL: a query leaves them alone or fills them itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/bind.h"
#include "db/row_type.h"

namespace pinka::db {

class RowEncoder {
 public:
  template <class Rows>
  static std::string Of(const Rows& rows, const RowType& type) {
    RowEncoder encoder(type, static_cast<int32_t>(rows.size()));
    for (const auto& row : rows) {
      encoder.fields_.clear();
      encoder.bytes_.clear();
      Bind(encoder, row);
      encoder.EndRow();
    }
    return std::move(encoder.out_);
  }

  void operator()(bool value) { Byte(value ? 1 : 0), Field(kBoolOid, 1); }
  void operator()(int32_t value) { Append32(value, &bytes_), Field(kInt4Oid, 4); }
  void operator()(int64_t value) { Append64(value, &bytes_), Field(kInt8Oid, 8); }
  void operator()(const std::string& value) { Raw(kTextOid, value); }
  void operator()(Money value) { (*this)(value.micros()); }
  void operator()(Rate value) { (*this)(value.micros_per_unit_hour()); }
  void operator()(Duration value) { (*this)(value.micros()); }
  void operator()(Timestamp value) {
    Append64(ToPostgresTime(value), &bytes_), Field(kTimestamptzOid, 8);
  }
  template <class Tag>
  void operator()(Strong<Tag> value) {
    (*this)(value.value());
  }
  template <class E>
  requires std::is_enum_v<E>
  void operator()(E value) { Raw(kTextOid, Name(value)); }
  void operator()(const std::vector<int32_t>& values);
  void operator()(const RangeSet& set);
  void operator()(const Owner& owner) { (*this)(owner.kind), (*this)(owner.id); }
  void operator()(const TaskId& id) { (*this)(id.job), (*this)(id.index); }
  void operator()(const AttemptId& id) { (*this)(id.job), (*this)(id.index), (*this)(id.number); }

  // 0 and "not set" become NULL.
  template <class Tag>
  void Maybe(Strong<Tag> value) {
    value ? (*this)(value.value()) : Null(kInt8Oid);
  }
  void Maybe(Timestamp value) { value ? (*this)(value) : Null(kTimestamptzOid); }

 private:
  struct Span {
    Oid type = 0;
    size_t begin = 0;
    int32_t length = 0;  // -1: NULL
  };
  RowEncoder(const RowType& type, int32_t rows);
  void Byte(int value) { bytes_.push_back(static_cast<char>(value)); }
  void Raw(Oid type, std::string_view value) {
    bytes_.append(value), Field(type, static_cast<int32_t>(value.size()));
  }
  void Null(Oid type) { fields_.push_back({type, bytes_.size(), -1}); }
  // The last `length` bytes are a field.
  void Field(Oid type, int32_t length) {
    fields_.push_back({type, bytes_.size() - static_cast<size_t>(length), length});
  }
  void EndRow();

  const RowType& type_;
  std::string out_;
  std::string bytes_;         // of this row's fields
  std::vector<Span> fields_;  // of this row, in the order of Bind
};

}  // namespace pinka::db
