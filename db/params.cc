#include "db/params.h"

namespace pinka::db {
namespace {

std::string Bytes64(int64_t value) {
  std::string out;
  Append64(value, &out);
  return out;
}

}  // namespace

Params& Params::Add(Oid type, std::optional<std::string> value) {
  types_.push_back(type);
  values_.push_back(std::move(value));
  return *this;
}

Params& Params::Int(int64_t value) { return Add(kInt8Oid, Bytes64(value)); }

Params& Params::MaybeInt(std::optional<int64_t> value) {
  if (!value) return Add(kInt8Oid, std::nullopt);
  return Int(*value);
}

Params& Params::Int32(int32_t value) {
  std::string out;
  Append32(value, &out);
  return Add(kInt4Oid, out);
}

Params& Params::Bool(bool value) { return Add(kBoolOid, std::string(1, value ? '\1' : '\0')); }

Params& Params::Text(std::string_view value) { return Add(kTextOid, std::string(value)); }

Params& Params::MaybeText(const std::optional<std::string>& value) { return Add(kTextOid, value); }

Params& Params::At(Timestamp at) { return Add(kTimestamptzOid, Bytes64(ToPostgresTime(at))); }

Params& Params::MaybeAt(Timestamp at) {
  if (!at) return Add(kTimestamptzOid, std::nullopt);
  return At(at);
}

Params& Params::Ints(const std::vector<int64_t>& values) {
  ArrayColumn column(kInt8Oid);
  for (int64_t value : values) column.Int64(value);
  return Array(column);
}

Params& Params::Texts(const std::vector<std::string>& values) {
  ArrayColumn column(kTextOid);
  for (const std::string& value : values) column.Text(value);
  return Array(column);
}

Params& Params::Array(const ArrayColumn& column) {
  return Add(column.array_oid(), column.Encode());
}

Params& Params::Rows(std::string rows) { return Add(InvalidOid, std::move(rows)); }

Params::Raw Params::raw() const {
  Raw raw;
  for (const auto& value : values_) {
    raw.values.push_back(value ? value->data() : nullptr);
    raw.lengths.push_back(value ? static_cast<int>(value->size()) : 0);
    raw.formats.push_back(1);
  }
  return raw;
}

}  // namespace pinka::db
