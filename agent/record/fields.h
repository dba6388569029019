// The one format of every file in an attempt directory: a kind and a version, then named byte
// strings with their lengths, then an end. Values hold any bytes; a file that was cut short, or is
// of another kind, is refused; fields that a reader does not know are left alone, so that a newer
// agent and an older supervisor (or the other way round) can share a directory.
//
//   pinka-order 1\n  argv 5\nhello\n  argv 0\n\n  end 0\n\n
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace pinka {

class Fields {
 public:
  static constexpr int kVersion = 1;

  // Keys are plain words without blanks; a key may repeat.
  void Add(std::string_view key, std::string_view value);
  void AddInt(std::string_view key, int64_t value);

  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  std::string Get(std::string_view key) const;               // the first; "" where there is none
  std::vector<std::string> All(std::string_view key) const;  // in the order written
  int64_t GetInt(std::string_view key, int64_t otherwise) const;  // also where it is no number

  std::string Encode(std::string_view kind) const;
  static StatusOr<Fields> Decode(std::string_view kind, std::string_view bytes);

 private:
  const std::string* Find(std::string_view key) const;
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace pinka
