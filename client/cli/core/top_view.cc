#include "client/cli/core/top_view.h"

#include <algorithm>
#include <tuple>

#include "base/parse.h"
#include "base/text.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/bar.h"
#include "client/cli/core/job_text.h"
#include "client/cli/core/outcome.h"
#include "client/cli/core/table.h"

namespace pinka::cli {
namespace {

constexpr int kMostBar = 40;
constexpr int kTierBeside = 44;  // columns of a tier's line beside its bar
constexpr size_t kLeastJobs = 2;

using Lines = std::vector<std::string>;

Terminal TerminalOf(const TopSize& size) {
  Terminal terminal;
  terminal.columns = size.columns;
  terminal.color = size.color;
  return terminal;
}

// A table's lines; `if_empty` where it has no rows.
class Listing {
 public:
  Listing(std::vector<Column> columns, const TopSize& size)
      : table_(std::move(columns), TerminalOf(size), [this](std::string_view text) {
          lines_.emplace_back(text.substr(0, text.size() - 1));
        }) {}
  void Row(std::vector<std::string> cells) { table_.Row(std::move(cells)); }
  Lines Take(const std::string& if_empty) {
    table_.Finish(if_empty);
    return std::move(lines_);
  }

 private:
  Lines lines_;
  Table table_;
};

std::string BalanceText(const TopFrame& frame) {
  const std::string& currency = frame.balance.currency();
  for (const v1::AccountBalance& account : frame.balance.accounts()) {
    if (account.account() != frame.user) continue;
    return frame.user + ": " + Amount(account.available(), currency) + " available, " +
           Amount(account.committed(), currency) + " committed";
  }
  if (!frame.balance.has_reach()) return frame.user;
  return frame.user + ": " + Amount(frame.balance.reach().available(), currency) + " in reach";
}

Lines Head(const TopFrame& frame, const Zone& zone, const TopSize& size) {
  const std::string left = frame.status.lab() + "  " + zone.Full(FromProto(frame.status.as_of()));
  const std::string right = SanitizeForTerminal(BalanceText(frame));
  Lines lines;
  const int gap = size.columns - DisplayWidth(left) - DisplayWidth(right);
  if (gap >= 2) {
    lines.push_back(left + std::string(static_cast<size_t>(gap), ' ') + right);
  } else {
    lines.push_back(FitColumns(left, size.columns));
    lines.push_back(FitColumns(right, size.columns));
  }
  if (!frame.trouble.empty())
    lines.push_back(FitColumns(SanitizeForTerminal(frame.trouble), size.columns));
  return lines;
}

Lines Tiers(const TopFrame& frame, const TopSize& size) {
  Listing listing({{"TIER", 4},
                   {"BUSY", 4},
                   {"UNITS", 0, true},
                   {"RUNNING", 0, true},
                   {"WAITING", 0, true},
                   {"", 0}},
                  size);
  const int bar = std::clamp(size.columns - kTierBeside, 8, kMostBar);
  for (const v1::TierStatus& tier : frame.status.tiers()) {
    const int busy = tier.units() - tier.free();
    listing.Row({tier.tier(), Bar(busy, tier.units(), bar),
                 std::to_string(busy) + "/" + std::to_string(tier.units()),
                 std::to_string(tier.running()), std::to_string(tier.pending()),
                 tier.simulated() ? "sim" : ""});
  }
  return listing.Take("No tiers yet.");
}

bool Waits(const v1::Job& job) {
  return job.state() == v1::TaskState::PENDING || job.state() == v1::TaskState::HELD;
}

// At most `most` rows and, where there are others, a line that counts them.
Lines Cut(Lines lines, size_t most, size_t jobs) {
  if (jobs <= most) return lines;
  lines.resize(1 + most);
  lines.push_back("… and " + std::to_string(jobs - most) + " more");
  return lines;
}

Lines Running(const std::vector<const v1::Job*>& jobs, size_t most, const TopSize& size) {
  Listing listing({{"RUNS", 0},
                   {"USER", 6},
                   {"TIER", 0},
                   {"GPU", 0, true},
                   {"STATE", 0, false, StateColor},
                   {"LIMIT", 0, true},
                   {"NAME", 5}},
                  size);
  for (size_t n = 0; n < std::min(most, jobs.size()); ++n) {
    const v1::Job& job = *jobs[n];
    listing.Row({JobIdText(job), job.user(), job.tier(), std::to_string(job.gpus()),
                 StateName(job.state()), FormatDuration(Duration::Millis(job.time_limit_ms())),
                 job.name()});
  }
  return Cut(listing.Take("Nothing runs."), most, jobs.size());
}

Lines Next(const std::vector<const v1::Job*>& jobs, size_t most, const Zone& zone,
           const TopSize& size) {
  Listing listing({{"NEXT", 0},
                   {"USER", 6},
                   {"TIER", 0},
                   {"GPU", 0, true},
                   {"POS", 0, true},
                   {"REASON", 8},
                   {"EXPECTED START", 11},
                   {"NAME", 5}},
                  size);
  for (size_t n = 0; n < std::min(most, jobs.size()); ++n) {
    const v1::Job& job = *jobs[n];
    listing.Row({JobIdText(job), job.user(), job.tier(), std::to_string(job.gpus()),
                 job.position() > 0 ? std::to_string(job.position()) : "", job.reason(),
                 job.has_expected_start_at() ? zone.Short(FromProto(job.expected_start_at())) : "",
                 job.name()});
  }
  return Cut(listing.Take("Nobody waits."), most, jobs.size());
}

// How many jobs either list may show of what `room` lines leave, beside titles and counts.
std::pair<size_t, size_t> Share(size_t runs, size_t waits, int room) {
  constexpr int kBeside = 5;  // two titles, a blank line, two counts
  const auto lines = static_cast<size_t>(std::max(room - kBeside, 0));
  const size_t half = std::max(lines / 2, kLeastJobs);
  const size_t running = std::min(runs, std::max(half, lines - std::min(lines, waits)));
  const size_t waiting = std::max(lines - std::min(lines, running), kLeastJobs);
  return {std::max(running, kLeastJobs), waiting};
}

}  // namespace

std::vector<std::string> DrawTop(const TopFrame& frame, const Zone& zone, const TopSize& size) {
  std::vector<const v1::Job*> runs;
  std::vector<const v1::Job*> waits;
  for (const v1::Job& job : frame.jobs) (Waits(job) ? waits : runs).push_back(&job);
  std::ranges::sort(runs, {}, [](const v1::Job* job) { return job->id(); });
  // The heads of all tiers first; what is held has no place.
  std::ranges::sort(waits, {}, [](const v1::Job* job) {
    const int place = job->position() > 0 ? job->position() : INT32_MAX;
    return std::tuple(place, job->tier(), job->id());
  });
  Lines lines = Head(frame, zone, size);
  const auto add = [&](Lines more) {
    lines.emplace_back();
    lines.insert(lines.end(), more.begin(), more.end());
  };
  add(Tiers(frame, size));
  const int room = size.rows > 0 ? size.rows - static_cast<int>(lines.size()) - 1 : INT32_MAX / 2;
  const auto [running, waiting] = Share(runs.size(), waits.size(), room);
  add(Running(runs, running, size));
  add(Next(waits, waiting, zone, size));
  if (size.rows > 0 && lines.size() > static_cast<size_t>(size.rows))
    lines.resize(static_cast<size_t>(size.rows));
  return lines;
}

}  // namespace pinka::cli
