// A blob store in memory that counts what it is sent and can lose something.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "files/carry.h"
#include "files/tree.h"

namespace pinka::test {

struct MemoryBlobs {
  std::map<std::string, std::string> blobs;
  int64_t sent = 0;         // blobs
  int64_t fail_after = -1;  // the transfer breaks after so many; -1: never

  Carrier Sink() {
    return Carrier(
        [this](const std::vector<std::string>& hashes) -> StatusOr<std::vector<std::string>> {
          std::vector<std::string> missing;
          for (const std::string& hash : hashes) {
            if (!blobs.contains(hash)) missing.push_back(hash);
          }
          return missing;
        },
        [this](const std::string& hash, const std::string& bytes) {
          if (fail_after >= 0 && sent >= fail_after) return Unavailable("the line broke");
          ++sent;
          if (Sha256Hex(bytes) != hash) return Internal("another hash");
          blobs[hash] = bytes;
          return OkStatus();
        });
  }

  GetBlob Source() const {
    return [this](const std::string& hash) -> StatusOr<std::string> {
      const auto found = blobs.find(hash);
      if (found == blobs.end()) return NotFound("no blob " + hash);
      return found->second;
    };
  }

  // A blob of any bytes; its name.
  std::string Add(const std::string& bytes) {
    const std::string hash = Sha256Hex(bytes);
    blobs[hash] = bytes;
    return hash;
  }
};

}  // namespace pinka::test
