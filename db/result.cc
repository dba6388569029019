#include "db/result.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/check.h"
#include "db/params.h"

namespace pinka::db {
namespace {

// Elements of a one-dimensional binary array; views into `bytes`.
std::vector<std::string_view> Elements(std::string_view bytes) {
  std::vector<std::string_view> out;
  if (bytes.empty() || Read32(bytes.data()) == 0) return out;
  int32_t count = Read32(bytes.data() + 12);
  const char* at = bytes.data() + 20;
  out.reserve(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) {
    int32_t size = Read32(at);
    at += 4;
    if (size < 0) size = 0;  // NULL
    out.emplace_back(at, static_cast<size_t>(size));
    at += size;
  }
  return out;
}

int64_t Integer(std::string_view bytes) {
  switch (bytes.size()) {
    case 0:
      return 0;
    case 2:
      return static_cast<int16_t>(static_cast<unsigned char>(bytes[0]) << 8 |
                                  static_cast<unsigned char>(bytes[1]));
    case 4:
      return Read32(bytes.data());
    default:
      return Read64(bytes.data());
  }
}

}  // namespace

int64_t Result::affected() const {
  if (!raw_) return 0;
  return std::strtoll(PQcmdTuples(raw_.get()), nullptr, 10);
}

bool Row::Next() {
  column_ = 0;
  return ++row_ < rows_;
}

bool Row::IsNull() const { return PQgetisnull(result_, row_, column_) != 0; }

std::string_view Row::Value(std::initializer_list<Oid> types) {
  int column = column_++;
  Oid type = PQftype(result_, column);
  PINKA_CHECK(std::ranges::find(types, type) != types.end(),
              "column " + std::to_string(column) + " has type " + std::to_string(type));
  if (PQgetisnull(result_, row_, column)) return {};
  return {PQgetvalue(result_, row_, column),
          static_cast<size_t>(PQgetlength(result_, row_, column))};
}

bool Row::Bool() {
  std::string_view bytes = Value({kBoolOid});
  return !bytes.empty() && bytes[0] != 0;
}

int64_t Row::Int() { return Integer(Value({kInt8Oid, kInt4Oid, 21})); }

double Row::Double() {
  std::string_view bytes = Value({701});
  return bytes.empty() ? 0 : std::bit_cast<double>(Read64(bytes.data()));
}

std::string Row::Text() { return std::string(Value({kTextOid, kByteaOid, 1043, 19})); }

Timestamp Row::At() {
  std::string_view bytes = Value({kTimestamptzOid});
  return bytes.empty() ? Timestamp() : FromPostgresTime(Read64(bytes.data()));
}

std::vector<int64_t> Row::Ints() {
  std::vector<int64_t> out;
  for (std::string_view element : Elements(Value({1007, 1016}))) out.push_back(Integer(element));
  return out;
}

std::vector<std::string> Row::Texts() {
  std::vector<std::string> out;
  for (std::string_view element : Elements(Value({1009}))) out.emplace_back(element);
  return out;
}

}  // namespace pinka::db
