#include "db/sql_text.h"

#include "base/check.h"

namespace pinka::db {
namespace {

using QueryMap = std::map<std::string, std::string, std::less<>>;
constexpr std::string_view kMark = "-- name: ";

void AddQueries(std::string_view text, QueryMap* out) {
  size_t at = text.find(kMark);
  while (at != std::string_view::npos) {
    size_t name_at = at + kMark.size();
    size_t line_end = text.find('\n', name_at);
    std::string name(text.substr(name_at, line_end - name_at));
    size_t next = text.find(kMark, line_end);
    bool fresh = out->emplace(name, text.substr(line_end + 1, next - line_end - 1)).second;
    PINKA_CHECK(fresh, "query " + name + " exists twice");
    at = next;
  }
}

}  // namespace

const QueryMap& Queries() {
  static const QueryMap* queries = [] {
    auto* map = new QueryMap;
    for (const SqlFile& file : SqlFiles()) {
      if (file.path.starts_with("queries/")) AddQueries(file.text, map);
    }
    return map;
  }();
  return *queries;
}

const std::string& Query(std::string_view name) {
  auto it = Queries().find(name);
  PINKA_CHECK(it != Queries().end(), "no query named " + std::string(name));
  return it->second;
}

}  // namespace pinka::db
