#include "files/tree.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "fmt/format.h"

namespace pinka {
namespace {

int Digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

Status Damaged(const std::string& what) { return Internal("a tree of files is damaged: " + what); }

template <class M>
StatusOr<M> Parse(const GetBlob& get, const std::string& hash) {
  StatusOr<std::string> bytes = get(hash);
  if (!bytes.ok()) return bytes.status();
  M message;
  if (!message.ParseFromString(*bytes)) return Damaged("a blob is no part of one");
  return message;
}

// Whether the content of `entry` lies inside the page's chunks.
bool HasRoom(const v1::FilePage& page, const v1::FileEntry& entry) {
  if (entry.kind() != v1::FileEntry::FILE || entry.size() == 0) return entry.size() == 0;
  if (entry.size() < 0 || entry.offset() < 0) return false;
  if (entry.chunk() < 0 || entry.chunk() >= page.chunks_size()) return false;
  if (entry.offset() >= page.chunks(entry.chunk()).size()) return false;
  int64_t room = -int64_t{entry.offset()};
  for (int n = entry.chunk(); n < page.chunks_size() && room < entry.size(); ++n)
    room += page.chunks(n).size();
  return room >= entry.size();
}

Status CheckPage(const v1::FilePage& page, std::string_view after) {
  for (const v1::FilePage::Chunk& chunk : page.chunks()) {
    const bool good = chunk.hash().size() == 32 && chunk.size() > 0 &&
                      chunk.size() <= static_cast<int32_t>(kMostBlob);
    if (!good) return Damaged("a chunk without a name or a size");
  }
  for (const v1::FileEntry& entry : page.entries()) {
    if (!IsPathInside(entry.path())) return Damaged("a name leads out of it");
    if (!after.empty() && !PathBefore(after, entry.path())) return Damaged("names out of order");
    if (!HasRoom(page, entry)) return Damaged("a file without its content");
    after = entry.path();
  }
  return OkStatus();
}

}  // namespace

bool IsBlobHash(std::string_view text) {
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 64 && std::ranges::all_of(text, hex);
}

std::string HexOfHash(std::string_view raw) {
  std::string hex;
  hex.reserve(raw.size() * 2);
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

std::string RawOfHash(std::string_view hex) {
  std::string raw;
  for (size_t n = 0; n + 1 < hex.size(); n += 2)
    raw += static_cast<char>(Digit(hex[n]) * 16 + Digit(hex[n + 1]));
  return raw;
}

bool IsPathInside(std::string_view path) {
  if (path.empty() || path.size() > kMostPath) return false;
  if (path.find('\0') != std::string_view::npos) return false;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (name.empty() || name == "." || name == "..") return false;
    at = end + 1;
  }
  return true;
}

bool IsLinkInside(std::string_view path, std::string_view target) {
  if (target.empty() || target.front() == '/') return false;
  int64_t depth = std::ranges::count(path, '/');
  for (size_t at = 0; at <= target.size();) {
    const size_t end = std::min(target.find('/', at), target.size());
    const std::string_view name = target.substr(at, end - at);
    if (name == "..") --depth;
    if (name != ".." && name != "." && !name.empty()) ++depth;
    if (depth < 0) return false;
    at = end + 1;
  }
  return true;
}

bool PathBefore(std::string_view a, std::string_view b) {
  const auto rank = [](char c) { return c == '/' ? 0 : int{static_cast<unsigned char>(c)} + 1; };
  return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
}

StatusOr<v1::FileTree> ReadRoot(const GetBlob& get, const std::string& root) {
  StatusOr<v1::FileTree> tree = Parse<v1::FileTree>(get, root);
  if (!tree.ok()) return tree;
  int64_t entries = 0;
  for (const v1::FileTree::Page& page : tree->pages()) {
    if (page.hash().size() != 32 || page.entries() <= 0) return Damaged("a page without a name");
    entries += page.entries();
  }
  if (entries > kMostFiles) return Damaged("more entries than one may have");
  return tree;
}

StatusOr<v1::FilePage> ReadPage(const GetBlob& get, const v1::FileTree::Page& page,
                                const std::string& after) {
  StatusOr<v1::FilePage> read = Parse<v1::FilePage>(get, HexOfHash(page.hash()));
  if (!read.ok()) return read;
  const bool same =
      read->entries_size() == page.entries() && read->entries(0).path() == page.first_path();
  if (!same) return Damaged("a page is not what its root says");
  if (Status s = CheckPage(*read, after); !s.ok()) return s;
  return read;
}

Status ForEachPage(const GetBlob& get, const v1::FileTree& tree, std::string_view from,
                   const std::function<StatusOr<bool>(const v1::FilePage&)>& each) {
  std::string after;
  for (int n = 0; n < tree.pages_size(); ++n) {
    const bool before =
        n + 1 < tree.pages_size() && !PathBefore(from, tree.pages(n + 1).first_path());
    if (!from.empty() && before) continue;
    StatusOr<v1::FilePage> page = ReadPage(get, tree.pages(n), after);
    if (!page.ok()) return page.status();
    after = page->entries(page->entries_size() - 1).path();
    StatusOr<bool> go_on = each(*page);
    if (!go_on.ok()) return go_on.status();
    if (!*go_on) return OkStatus();
  }
  return OkStatus();
}

StatusOr<TreeSize> ListBlobs(const GetBlob& get, const std::string& root,
                             const std::function<Status(const std::vector<std::string>&)>& some) {
  StatusOr<v1::FileTree> tree = ReadRoot(get, root);
  if (!tree.ok()) return tree.status();
  TreeSize size;
  std::vector<std::string> names{root};
  for (const v1::FileTree::Page& page : tree->pages()) names.push_back(HexOfHash(page.hash()));
  if (Status s = some(names); !s.ok()) return s;
  const Status walked =
      ForEachPage(get, *tree, "", [&](const v1::FilePage& page) -> StatusOr<bool> {
        names.clear();
        for (const v1::FilePage::Chunk& chunk : page.chunks())
          names.push_back(HexOfHash(chunk.hash()));
        for (const v1::FileEntry& entry : page.entries()) {
          size.files += entry.kind() == v1::FileEntry::FILE ? 1 : 0;
          size.bytes += entry.size();
        }
        if (Status s = some(names); !s.ok()) return s;
        return true;
      });
  if (!walked.ok()) return walked;
  if (size.files != tree->files() || size.bytes != tree->bytes())
    return Damaged("its size is not what its root says");
  return size;
}

}  // namespace pinka
