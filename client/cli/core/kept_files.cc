#include "client/cli/core/kept_files.h"

#include <algorithm>

#include "base/parse.h"
#include "base/ranges.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

bool Newer(const v1::FileSet& a, const v1::FileSet& b) {
  return std::pair(a.attempt(), a.generation()) > std::pair(b.attempt(), b.generation());
}

}  // namespace

void KeptChoice::Declare(Options& options) {
  options.Custom("--attempt", "N", "of an earlier attempt (default: the newest that kept any)",
                 [this](const std::string& text) {
                   PINKA_TRY_ASSIGN(attempt_, ParseInt(text, 1, 1'000'000, "the number"));
                   return OkStatus();
                 });
  options.Flag("--checkpoint", "the newest checkpoint instead of the output", &checkpoint_);
  options.Flag("--code", "what was submitted instead of the output", &code_);
}

StatusOr<v1::ListFileSetsResponse> KeptChoice::List(Api& api, const std::string& id) {
  PINKA_TRY_ASSIGN(const JobSlice slice, ParseJobSlice(id));
  if (slice.indices.size() > 1) return Invalid("name one task, as in 36_1");
  v1::ListFileSetsRequest request;
  request.set_job_id(slice.job);
  if (!slice.indices.empty()) request.set_index(slice.indices.ranges()[0].begin);
  return api.ListFileSets(request);
}

StatusOr<v1::FileSet> KeptChoice::Choose(const std::string& id,
                                         const v1::ListFileSetsResponse& kept) const {
  const v1::FileSet::Kind kind = code_         ? v1::FileSet::CODE
                                 : checkpoint_ ? v1::FileSet::CHECKPOINT
                                               : v1::FileSet::OUTPUT;
  const v1::FileSet* best = nullptr;

  for (const v1::FileSet& set : kept.sets()) {
    const bool wanted = set.kind() == kind && (attempt_ == 0 || set.attempt() == attempt_);
    if (!wanted) continue;
    if (best != nullptr && best->task() != set.task())
      return Invalid("job " + id + " has several tasks; name one, as in " + best->task());
    if (best == nullptr || Newer(set, *best)) best = &set;
  }
  if (best != nullptr) return *best;
  const char* what = code_ ? "code" : checkpoint_ ? "checkpoint" : "output";
  return Refusal("NoSuchFile",
                 std::string("no ") + what + " of " + id +
                     " is kept; an output is kept when an attempt ends, of what it wrote to "
                     "$PINKA_OUTPUT_DIR",
                 kExitNotFound);
}

std::string BytesText(int64_t bytes) {
  if (bytes < 1'000) return std::to_string(bytes) + " B";
  const char* unit = "KiB";
  int64_t tenths = bytes * 10 / 1'024;
  for (const char* next : {"MiB", "GiB", "TiB"}) {
    if (tenths < 10'000) break;
    tenths /= 1'024;
    unit = next;
  }
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " + unit;
}

std::string KeptText(const v1::FileSet& set) {
  const bool code = set.kind() == v1::FileSet::CODE;
  if (code) return "code " + set.root().substr(0, 12);
  std::string text = set.kind() == v1::FileSet::OUTPUT
                         ? "output"
                         : "checkpoint generation " + std::to_string(set.generation());
  text += " of " + set.task() + ", attempt " + std::to_string(set.attempt()) + ": " +
          std::to_string(set.files()) + (set.files() == 1 ? " file, " : " files, ") +
          BytesText(set.bytes());
  return text;
}

}  // namespace pinka::cli
