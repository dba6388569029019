#include "scheduler/api/gate_proof.h"

#include <algorithm>

#include "base/text.h"
#include "db/reads_jobs.h"
#include "scheduler/core/gate.h"

namespace pinka::api {
namespace {

constexpr size_t kLongEnvironment = 400;

const Board::Tier* GatedTier(const JobRequest& job, const Board& board) {
  const auto tier = std::ranges::find_if(
      board.tiers, [&](const Board::Tier& t) { return t.row.id == job.tier && t.row.gate; });
  return tier == board.tiers.end() ? nullptr : &*tier;
}

Rate OnDemandRate(const Board& board, TierId id) {
  for (const Board::Tier& tier : board.tiers) {
    if (tier.row.id != id) continue;
    for (const auto& [source, rate] : tier.rates) {
      if (source == Source::kOnDemand) return rate;
    }
  }
  return Rate();
}

TierId BestProof(const std::vector<TierId>& tiers, TierId gate, const Board& board) {
  if (tiers.empty()) return {};
  if (std::ranges::find(tiers, gate) != tiers.end()) return gate;
  return *std::ranges::max_element(tiers, {}, [&](TierId id) { return OnDemandRate(board, id); });
}

std::string Variables(const v1::JobSpec& spec) {
  std::string text;
  for (const v1::EnvVar& var : spec.env())
    text += ShellQuote({"--env", var.name() + "=" + var.value()}) + " ";
  return text.size() <= kLongEnvironment ? text : "(with the same --env) ";
}

}  // namespace

std::string CodeOnCommandLine(const v1::JobSpec& spec) {
  std::string text = Variables(spec);
  if (!spec.chdir().empty()) text += ShellQuote({"--chdir", spec.chdir()}) + " ";
  for (const std::string& sweep : spec.sweep()) text += ShellQuote({"--sweep", sweep}) + " ";
  if (spec.script().empty()) text += "-- ";
  text += ShellQuote({spec.argv().begin(), spec.argv().end()});
  return IsValidUtf8(text) ? text : "(with the same command)";
}

bool AnyGate(const std::vector<JobRequest>& jobs, const Board& board) {
  return std::ranges::any_of(
      jobs, [&](const JobRequest& job) { return GatedTier(job, board) != nullptr; });
}

StatusOr<std::vector<TierId>> ReadProof(db::ReadPool& database, const std::vector<JobRequest>& jobs,
                                        MemberId member, const Board& board) {
  std::vector<TierId> proven;
  for (const JobRequest& job : jobs) {
    proven.emplace_back();
    const Board::Tier* tier = GatedTier(job, board);
    if (tier == nullptr) continue;
    auto tiers = db::ProvenTiers(database, member, ProvenBy(job.code, job.payload.hash),
                                 board.now - tier->row.gate_within);
    if (!tiers.ok()) return tiers.status();
    proven.back() = BestProof(*tiers, tier->row.gate, board);
  }
  return proven;
}

}  // namespace pinka::api
