// lab.toml (cli.md): the lab, its tiers and prices, members, projects, limits. What the file does
// not name stays as it is, so that a file may hold a part of the lab only. Every error names file
// and line and says what would be right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "scheduler/core/command.h"

namespace pinka::api {

// How the lab is now: what stands where the file is silent.
struct LabBase {
  LabRow lab;
  std::vector<TierRow> tiers;
  std::vector<MemberRow> members;
  std::vector<ProjectRow> projects;
};

struct LabFile {
  LabChange change;
  std::vector<std::string> removals;  // "tier a100": rows with `absent = true`
};

StatusOr<LabFile> ReadLabFile(std::string_view text, const std::string& file, const LabBase& base);

}  // namespace pinka::api
