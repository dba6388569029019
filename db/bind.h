// How rows.h meets the tables: for each row type one function `Bind(binder, row)` names the columns
// once, in the order of the queries write_<table> and load_<table> (columns_*.h). ColumnWriter
// turns rows into one array a column; RowBinder fills a row from a result.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "base/ids.h"
#include "base/money.h"
#include "base/ranges.h"
#include "base/status.h"
#include "base/time.h"
#include "db/params.h"
#include "db/result.h"
#include "scheduler/core/file_set.h"
#include "scheduler/core/rows.h"

namespace pinka::db {

// R is T or const T.
template <class R, class T>
concept RowOf = std::same_as<std::remove_const_t<R>, T>;

// Text forms of columns that unnest cannot carry as they are.
std::string ArrayLiteral(const std::vector<int32_t>& values);  // "{1,2}"
std::string ArrayLiteral(const std::vector<int64_t>& values);
std::string MultirangeLiteral(const RangeSet& set);  // "{[0,3),[5,6)}"
StatusOr<RangeSet> ParseMultirange(std::string_view text);
std::string GpusJson(const std::vector<Gpu>& gpus);
std::vector<Gpu> GpusFromTexts(const std::vector<std::string>& fields);  // five a card
std::string ToDecimal(Int128 value);
Int128 FromDecimal(std::string_view text);

class ColumnWriter {
 public:
  template <class Rows>
  static std::vector<ArrayColumn> Of(const Rows& rows) {
    ColumnWriter writer;
    for (const auto& row : rows) {
      writer.next_ = 0;
      Bind(writer, row);
    }
    return std::move(writer.columns_);
  }

  void operator()(bool value) { Column(kBoolOid).Bool(value); }
  void operator()(int32_t value) { Column(kInt4Oid).Int32(value); }
  void operator()(int64_t value) { Column(kInt8Oid).Int64(value); }
  void operator()(const std::string& value) { Column(kTextOid).Text(value); }
  void operator()(Money value) { (*this)(value.micros()); }
  void operator()(Rate value) { (*this)(value.micros_per_unit_hour()); }
  void operator()(Duration value) { (*this)(value.micros()); }
  void operator()(Timestamp value) { Column(kTimestamptzOid).Time(value); }
  template <class Tag>
  void operator()(Strong<Tag> value) {
    (*this)(value.value());
  }
  template <class E>
  requires std::is_enum_v<E>
  void operator()(E value) { Column(kTextOid).Text(Name(value)); }
  void operator()(const std::vector<int32_t>& values) { (*this)(ArrayLiteral(values)); }
  void operator()(const std::vector<int64_t>& values) { (*this)(ArrayLiteral(values)); }
  void operator()(const RangeSet& set) { (*this)(MultirangeLiteral(set)); }
  void operator()(const std::vector<Gpu>& gpus) { (*this)(GpusJson(gpus)); }
  void operator()(const Owner& owner) { (*this)(owner.kind), (*this)(owner.id); }
  void operator()(const TaskId& id) { (*this)(id.job), (*this)(id.index); }
  void operator()(const AttemptId& id) { (*this)(id.job), (*this)(id.index), (*this)(id.number); }
  void Decimal(Int128 value) { (*this)(ToDecimal(value)); }
  void Bytes(const std::string& value) { Column(kByteaOid).Text(value); }

  // 0 and "not set" become NULL.
  template <class Tag>
  void Maybe(Strong<Tag> value) {
    value ? (*this)(value.value()) : Column(kInt8Oid).Null();
  }
  void Maybe(Timestamp value) { value ? (*this)(value) : Column(kTimestamptzOid).Null(); }
  void Maybe(const AttemptId& id);

 private:
  ArrayColumn& Column(Oid element) {
    if (next_ == columns_.size()) columns_.emplace_back(element);
    return columns_[next_++];
  }
  std::vector<ArrayColumn> columns_;
  size_t next_ = 0;
};

class RowBinder {
 public:
  // Appends every row of `result`; Internal where a value cannot be one (an unknown name).
  template <class T>
  static Status Read(const Result& result, std::vector<T>* out) {
    RowBinder binder(result);
    out->reserve(out->size() + static_cast<size_t>(result.rows()));
    while (binder.row_.Next()) {
      T& row = out->emplace_back();
      Bind(binder, row);
      if (!binder.error_.empty()) return Internal(binder.error_);
    }
    return OkStatus();
  }

  void operator()(bool& value) { value = row_.Bool(); }
  void operator()(int32_t& value) { value = row_.Int32(); }
  void operator()(int64_t& value) { value = row_.Int(); }
  void operator()(std::string& value) { value = row_.Text(); }
  void operator()(Money& value) { value = Money::Micros(row_.Int()); }
  void operator()(Rate& value) { value = Rate::MicrosPerUnitHour(row_.Int()); }
  void operator()(Duration& value) { value = Duration::Micros(row_.Int()); }
  void operator()(Timestamp& value) { value = row_.At(); }
  template <class Tag>
  void operator()(Strong<Tag>& value) {
    value = Strong<Tag>(row_.Int());
  }
  template <class E>
  requires std::is_enum_v<E>
  void operator()(E& value) {
    std::string name = row_.Text();
    if (!FromName(name, &value)) error_ = "the database holds an unknown name: '" + name + "'";
  }
  void operator()(std::vector<int32_t>& values);
  void operator()(std::vector<int64_t>& values) { values = row_.Ints(); }
  void operator()(std::vector<std::string>& values) { values = row_.Texts(); }
  void operator()(RangeSet& set);
  void operator()(std::vector<Gpu>& gpus) { gpus = GpusFromTexts(row_.Texts()); }
  void operator()(Owner& owner) { (*this)(owner.kind), (*this)(owner.id); }
  void operator()(TaskId& id) { (*this)(id.job), (*this)(id.index); }
  void operator()(AttemptId& id) { (*this)(id.job), (*this)(id.index), (*this)(id.number); }
  void Decimal(Int128& value) { value = FromDecimal(row_.Text()); }
  void Bytes(std::string& value) { value = row_.Text(); }

  template <class V>
  void Maybe(V& value) {
    (*this)(value);
  }

 private:
  explicit RowBinder(const Result& result) : row_(result) {}
  Row row_;
  std::string error_;
};

}  // namespace pinka::db
