#include "base/check.h"
#include "db/params.h"

namespace pinka::db {

int64_t ToPostgresTime(Timestamp at) {
  if (at == Timestamp::Never()) return INT64_MAX;  // 'infinity'
  return at.micros() - kPostgresEpochMicros;
}

Timestamp FromPostgresTime(int64_t micros) {
  if (micros == INT64_MAX) return Timestamp::Never();
  return Timestamp::Micros(micros + kPostgresEpochMicros);
}

void Append32(int32_t value, std::string* out) {
  auto bits = static_cast<uint32_t>(value);
  for (int shift = 24; shift >= 0; shift -= 8) out->push_back(static_cast<char>(bits >> shift));
}

void Append64(int64_t value, std::string* out) {
  auto bits = static_cast<uint64_t>(value);
  for (int shift = 56; shift >= 0; shift -= 8) out->push_back(static_cast<char>(bits >> shift));
}

int32_t Read32(const char* at) {
  uint32_t bits = 0;
  for (int i = 0; i < 4; ++i) bits = bits << 8 | static_cast<unsigned char>(at[i]);
  return static_cast<int32_t>(bits);
}

int64_t Read64(const char* at) {
  uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) bits = bits << 8 | static_cast<unsigned char>(at[i]);
  return static_cast<int64_t>(bits);
}

void ArrayColumn::Null() {
  Append32(-1, &body_);
  has_null_ = true;
  ++count_;
}

void ArrayColumn::Bool(bool value) {
  Append32(1, &body_);
  body_.push_back(value ? 1 : 0);
  ++count_;
}

void ArrayColumn::Int32(int32_t value) {
  Append32(4, &body_);
  Append32(value, &body_);
  ++count_;
}

void ArrayColumn::Int64(int64_t value) {
  Append32(8, &body_);
  Append64(value, &body_);
  ++count_;
}

void ArrayColumn::Text(std::string_view value) {
  Append32(static_cast<int32_t>(value.size()), &body_);
  body_.append(value);
  ++count_;
}

Oid ArrayColumn::array_oid() const {
  switch (element_) {
    case kBoolOid:
      return 1000;
    case kByteaOid:
      return 1001;
    case kInt4Oid:
      return 1007;
    case kTextOid:
      return 1009;
    case kInt8Oid:
      return 1016;
    case kTimestamptzOid:
      return 1185;
  }
  PINKA_CHECK(false, "no array type is known for this element");
}

std::string ArrayColumn::Encode() const {
  std::string out;
  out.reserve(body_.size() + 20);
  Append32(count_ == 0 ? 0 : 1, &out);  // dimensions
  Append32(has_null_ ? 1 : 0, &out);
  Append32(static_cast<int32_t>(element_), &out);
  if (count_ > 0) {
    Append32(count_, &out);
    Append32(1, &out);  // lower bound
    out += body_;
  }
  return out;
}

}  // namespace pinka::db
