#include "db/whole_rows.h"

namespace pinka::db {
namespace {

constexpr Oid kInt4ArrayOid = 1007;
constexpr Oid kInt4MultirangeOid = 4451;
constexpr int kLowerIncluded = 2;  // of a range: [low, high)

}  // namespace

RowEncoder::RowEncoder(const RowType& type, int32_t rows) : type_(type) {
  Append32(1, &out_);  // dimensions
  Append32(0, &out_);  // no row is NULL
  Append32(static_cast<int32_t>(type.oid), &out_);
  Append32(rows, &out_);
  Append32(1, &out_);  // lower bound
}

void RowEncoder::operator()(const std::vector<int32_t>& values) {
  const size_t begin = bytes_.size();
  Append32(values.empty() ? 0 : 1, &bytes_);
  Append32(0, &bytes_);
  Append32(static_cast<int32_t>(kInt4Oid), &bytes_);
  if (!values.empty()) {
    Append32(static_cast<int32_t>(values.size()), &bytes_);
    Append32(1, &bytes_);
  }
  for (int32_t value : values) {
    Append32(4, &bytes_);
    Append32(value, &bytes_);
  }
  Field(kInt4ArrayOid, static_cast<int32_t>(bytes_.size() - begin));
}

void RowEncoder::operator()(const RangeSet& set) {
  const size_t begin = bytes_.size();
  Append32(static_cast<int32_t>(set.ranges().size()), &bytes_);
  for (const RangeSet::Range& range : set.ranges()) {
    Append32(17, &bytes_);  // flags, and twice length and value
    Byte(kLowerIncluded);
    for (int32_t bound : {range.begin, range.end}) {
      Append32(4, &bytes_);
      Append32(bound, &bytes_);
    }
  }
  Field(kInt4MultirangeOid, static_cast<int32_t>(bytes_.size() - begin));
}

void RowEncoder::EndRow() {
  // The fields' bytes, and four for each type and length: every field has a column.
  Append32(static_cast<int32_t>(4 + 8 * type_.columns.size() + bytes_.size()), &out_);
  Append32(static_cast<int32_t>(type_.columns.size()), &out_);
  for (const RowType::Column& column : type_.columns) {
    const bool there = column.field >= 0 && static_cast<size_t>(column.field) < fields_.size();
    const Span field =
        there ? fields_[static_cast<size_t>(column.field)] : Span{column.type, 0, -1};
    Append32(static_cast<int32_t>(field.type), &out_);
    Append32(field.length, &out_);
    if (field.length > 0) out_.append(bytes_, field.begin, static_cast<size_t>(field.length));
  }
}

}  // namespace pinka::db
