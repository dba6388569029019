#include "agent/identity.h"

#include <cstdio>

#include "base/file.h"
#include "base/hash.h"

namespace pinka {
namespace {

constexpr int kKeyBytes = 32;

StatusOr<std::string> ReadLine(const std::string& path) {
  StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  return text->substr(0, text->find_first_of("\r\n"));
}

}  // namespace

bool Identity::HasKey() const { return PathExists(path_); }

bool Identity::IsBetween() const { return HasKey() && PathExists(path_ + ".next"); }

StatusOr<std::string> Identity::Key() const { return ReadLine(path_); }

StatusOr<std::string> Identity::NextKey(Random* random) const {
  const std::string next = path_ + ".next";
  if (!PathExists(next)) {
    Status written = WriteFileDurably(next, "pinka_" + random->Hex(kKeyBytes) + "\n", 0600);
    if (!written.ok()) return written;
  }
  return ReadLine(next);
}

Status Identity::TakeNext() const {
  if (std::rename((path_ + ".next").c_str(), path_.c_str()) != 0)
    return Unavailable("cannot rename " + path_ + ".next");
  return SyncDirectory(path_.substr(0, path_.rfind('/')));
}

Status Identity::Rotate(Random* random, const Tell& tell) const {
  StatusOr<std::string> key = Key();
  if (!key.ok()) return key.status();
  StatusOr<std::string> next = NextKey(random);
  if (!next.ok()) return next.status();
  const std::string hash = Sha256Hex(*next);
  Status told = tell(*key, hash);
  // An earlier try may have been heard although its answer was not: then the next one is the key.
  if (absl::IsUnauthenticated(told)) told = tell(*next, hash);
  return told.ok() ? TakeNext() : told;
}

}  // namespace pinka
