#include "db/row_type.h"

#include <utility>

#include "base/check.h"

namespace pinka::db {
namespace {

std::string_view Between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t at = text.find(before);
  PINKA_CHECK(at != std::string_view::npos, "not an INSERT of whole rows");
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find(after));
}

}  // namespace

InsertTarget TargetOf(std::string_view query) {
  InsertTarget target;
  target.table = Between(query, "INSERT INTO ", " (");
  std::string name;
  for (char c : Between(query, " (", ")")) {
    if (c == ',') {
      target.columns.push_back(std::exchange(name, ""));
    } else if (c != ' ' && c != '\n') {
      name.push_back(c);
    }
  }
  target.columns.push_back(std::move(name));
  return target;
}

}  // namespace pinka::db
