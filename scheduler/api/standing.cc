#include "scheduler/api/standing.h"

#include <algorithm>

#include "fmt/format.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/openness.h"

namespace pinka::api {
namespace {

// part / whole with four decimals, half away; "" of nothing.
std::string Ratio(int64_t part, int64_t whole) {
  if (whole <= 0) return "";
  const auto scaled =
      (static_cast<Int128>(part) * 20'000 + whole) / (static_cast<Int128>(whole) * 2);
  const auto parts = static_cast<int64_t>(scaled);
  return fmt::format("{}.{:04}", parts / 10'000, parts % 10'000);
}

bool Belongs(const State& state, MemberId member, ProjectId project) {
  const ProjectRow* row = state.projects.Find(project);
  return row == nullptr || std::ranges::binary_search(row->members, member.value());
}

}  // namespace

bool SeesEverybody(const Principal& who, Openness openness) {
  return who.admin || OthersMaySee(openness, JobPart::kQueue);
}

std::string FormatThousandths(int64_t thousandths) {
  if (thousandths < 0) return "inf";
  return fmt::format("{}.{:03}", thousandths / 1'000, thousandths % 1'000);
}

std::string FormatFraction(uint64_t q62) {
  constexpr uint64_t kOne = uint64_t{1} << 62;
  const auto parts = static_cast<int64_t>((static_cast<Int128>(q62) * 20'000 + kOne) /
                                          (static_cast<Int128>(kOne) * 2));
  return fmt::format("{}.{:04}", parts / 10'000, parts % 10'000);
}

void FillShares(const ShareList& list, const State& state, MemberId caller, bool everybody,
                v1::ListSharesResponse* out) {
  out->set_by_project(list.by_project);
  out->set_half_life_h(state.lab.half_life_h);
  for (const ShareLine& line : list.lines) {
    const bool own = line.member ? line.member == caller : Belongs(state, caller, line.project);
    if (!everybody && !own) continue;
    v1::ShareLine* row = out->add_lines();
    const ProjectRow* project = line.project ? state.projects.Find(line.project) : nullptr;
    if (project != nullptr) row->set_project(project->name);
    if (line.member) row->set_user(line.name);
    row->set_share(line.share);
    row->set_normalized_share(Ratio(line.share, line.shares));
    row->set_gpu_hours(WireHours(line.use_ms));
    row->set_normalized_use(Ratio(line.use_ms, line.uses_ms));
    if (line.share > 0) row->set_level_fairness(FormatThousandths(line.level));
    if (line.share > 0 && line.member) row->set_factor(FormatFraction(line.fair));
  }
}

void FillPriorities(const PriorityList& list, v1::ListPrioritiesResponse* out) {
  out->set_more(list.more);
  for (const PriorityLine& line : list.lines) {
    v1::PriorityLine* row = out->add_lines();
    row->set_job_id(line.job.value());
    row->set_user(line.user);
    row->set_tier(line.tier);
    row->set_units(line.units);
    row->set_position(line.position);
    row->set_has_share(line.has_share);
    row->set_priority(line.parts.total);
    const std::pair<const char*, int64_t> factors[] = {{"fairShare", line.parts.fair},
                                                       {"age", line.parts.age},
                                                       {"class", line.parts.klass},
                                                       {"size", line.parts.size},
                                                       {"nice", -line.parts.nice}};
    for (const auto& [name, value] : factors) {
      v1::Factor* factor = row->add_factors();
      factor->set_name(name);
      factor->set_value(value);
    }
  }
}

}  // namespace pinka::api
