#include "agent/core/reconcile.h"

#include <algorithm>
#include <map>
#include <optional>

namespace pinka {
namespace {

using Kind = Action::Kind;
using Phase = Record::Phase;

// How long the log and the files of an attempt that nobody asks about are kept for upload.
constexpr Duration kKeepUnclaimed = Duration::Days(1);
// What a job gets that no scheduler claims.
constexpr Duration kUnclaimedGrace = Duration::Seconds(30);
// What a job gets whose card is lost: it can do nothing more with it.
constexpr Duration kLostCardGrace = Duration::Seconds(10);
// Of a box that is taken away: the most that is kept for its files, and the most between TERM and
// KILL. A notice that comes too late leaves a moment all the same: nobody knows the very second.
constexpr Duration kMostForFiles = Duration::Seconds(60);
constexpr Duration kReclaimGrace = Duration::Seconds(10);
constexpr Duration kLeastLeft = Duration::Seconds(3);
// A stop this much sooner than the one that was asked for is another one.
constexpr Duration kSooner = Duration::Seconds(1);

Action Make(Kind kind, const std::string& lab_run, const AttemptId& attempt) {
  return {.kind = kind,
          .lab_run = lab_run,
          .attempt = attempt,
          .reason = {},
          .grace = {},
          .lead = {},
          .start_by = {}};
}

Action Refuse(const std::string& lab_run, const AttemptId& attempt, const std::string& why) {
  Action action = Make(Kind::kRefuse, lab_run, attempt);
  action.reason = why;
  return action;
}

class Pass {
 public:
  Pass(const Answer* answer, const std::vector<Record>& records, const Situation& situation)
      : answer_(answer), records_(records), situation_(situation) {}

  std::vector<Action> Run() {
    for (const Record& record : records_) Bury(record);
    for (const Record& record : records_) StopLostCard(record);
    for (const Record& record : records_) StopReclaimed(record);
    if (answer_ == nullptr) return Sorted();
    std::map<AttemptId, const Record*> known;
    for (const Record& record : records_) {
      if (record.lab_run == answer_->lab_run) known[record.attempt] = &record;
    }
    std::set<AttemptId> named;
    for (const Desired& desired : answer_->attempts) {
      if (!named.insert(desired.attempt).second) continue;
      auto found = known.find(desired.attempt);
      Judge(desired, found == known.end() ? nullptr : found->second);
    }
    for (const Record& record : records_) {
      bool ours = record.lab_run == answer_->lab_run;
      if (!ours || !named.contains(record.attempt)) JudgeUnclaimed(record, ours);
    }
    return Sorted();
  }

 private:
  void Bury(const Record& record) {
    if (record.phase != Phase::kLost || record.busy) return;
    actions_.push_back(Make(Kind::kBury, record.lab_run, record.attempt));
  }

  void StopLostCard(const Record& record) {
    const bool idle = record.busy || record.phase == Phase::kLost || !record.stop_asked.empty();
    if (idle || record.Over()) return;
    const bool lost = std::any_of(
        record.gpu_uuids.begin(), record.gpu_uuids.end(),
        [this](const std::string& uuid) { return situation_.lost_gpus.contains(uuid); });
    if (lost) StopRecord(record, "HardwareLost", kLostCardGrace);
  }

  // Asked for at every look, and each time with less time left: only an earlier end counts.
  void StopReclaimed(const Record& record) {
    const bool runs = record.Live() && !record.busy && record.phase != Phase::kOrdered &&
                      record.phase != Phase::kLost;
    if (!situation_.reclaim_at || !runs) return;
    const Duration left = std::max(*situation_.reclaim_at - situation_.boottime, kLeastLeft);
    const Duration third = Duration::Micros(left.micros() / 3);
    const Duration within = left - std::min(third, kMostForFiles);
    const Duration grace = std::min({kReclaimGrace, third, record.grace});
    const Duration known = record.stop_asked_at + record.stop_asked_within;
    if (!record.stop_asked.empty() && situation_.boottime + within + kSooner >= known) return;
    StopRecord(record, "SpotReclaim", grace, within - grace);
  }

  void Judge(const Desired& desired, const Record* record) {
    if (record != nullptr && (record->busy || record->phase == Phase::kLost)) return;
    switch (desired.want) {
      case Desired::Want::kRun:
        return Run(desired, record);
      case Desired::Want::kStop:
        return Stop(desired, record);
      case Desired::Want::kForget:
        return Forget(desired.attempt, record);
    }
  }

  void Run(const Desired& desired, const Record* record) {
    if (record != nullptr && record->phase != Phase::kOrdered) return;  // never twice
    if (std::string why = WhyNever(desired); !why.empty()) {
      actions_.push_back(Refuse(answer_->lab_run, desired.attempt, why));
      return;
    }
    if (GpusAreHeld(desired)) return;  // for now: what holds them is ending
    Action launch = Make(Kind::kLaunch, answer_->lab_run, desired.attempt);
    launch.start_by = StartBy(desired).value_or(Duration());
    actions_.push_back(launch);
  }

  std::optional<Duration> StartBy(const Desired& desired) const {
    if (desired.start_within <= Duration()) return std::nullopt;
    return answer_->request_sent_at + desired.start_within;
  }

  std::string WhyNever(const Desired& desired) const {
    if (situation_.draining) return "NodeDrain";
    if (situation_.reclaim_at) return "SpotReclaim";
    if (situation_.unfit) return "DiskFull";
    std::optional<Duration> start_by = StartBy(desired);
    if (start_by && situation_.boottime > *start_by) return "StartWithin";
    for (const auto& uuid : desired.gpu_uuids) {
      const bool there =
          situation_.gpu_uuids.contains(uuid) && !situation_.lost_gpus.contains(uuid);
      if (!there) return "HardwareLost";
      if (situation_.hardware_wrong) return "HardwareWrong";
    }
    return "";
  }

  bool GpusAreHeld(const Desired& desired) const {
    return std::any_of(records_.begin(), records_.end(), [&](const Record& other) {
      bool itself = other.attempt == desired.attempt && other.lab_run == answer_->lab_run;
      return !itself && other.Live() && Overlap(other.gpu_uuids, desired.gpu_uuids);
    });
  }

  static bool Overlap(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& uuid) {
      return std::find(b.begin(), b.end(), uuid) != b.end();
    });
  }

  void Stop(const Desired& desired, const Record* record) {
    if (record == nullptr) {
      actions_.push_back(Refuse(answer_->lab_run, desired.attempt, desired.stop_reason));
    } else {
      StopRecord(*record, desired.stop_reason, desired.grace, desired.lead);
    }
  }

  // The first reason keeps its name; a later request matters only if it leaves less time.
  void StopRecord(const Record& record, const std::string& reason, Duration grace,
                  Duration lead = {}) {
    if (record.Over()) return;
    if (record.phase == Phase::kOrdered) {
      actions_.push_back(Refuse(record.lab_run, record.attempt, reason));
      return;
    }
    bool asked = !record.stop_asked.empty();
    if (asked && lead + grace >= record.stop_asked_within) return;
    for (Action& other : actions_) {  // of this pass: one file says it all
      const bool same = other.lab_run == record.lab_run && other.attempt == record.attempt;
      if (!same || other.kind != Kind::kStop) continue;
      if (lead + grace >= other.lead + other.grace) return;
      other.lead = lead;
      other.grace = grace;
      return;
    }
    Action stop = Make(Kind::kStop, record.lab_run, record.attempt);
    stop.reason = asked ? record.stop_asked : reason;
    stop.grace = grace;
    stop.lead = lead;
    actions_.push_back(stop);
  }

  void Forget(const AttemptId& attempt, const Record* record) {
    if (record == nullptr) return;
    if (!record->Over()) return StopRecord(*record, "Withdrawn", kUnclaimedGrace);
    bool brought = record->log_done && record->files_done;
    bool nothing_to_keep = brought || record->phase == Phase::kAbsent;
    if (nothing_to_keep) actions_.push_back(Make(Kind::kForget, record->lab_run, attempt));
  }

  void JudgeUnclaimed(const Record& record, bool ours) {
    if (record.busy || record.phase == Phase::kLost) return;
    if (record.Live()) return StopRecord(record, "Withdrawn", kUnclaimedGrace);
    bool waits = ours && record.phase == Phase::kEnded && !(record.log_done && record.files_done);
    if (waits && situation_.now - record.ended_at < kKeepUnclaimed) return;
    actions_.push_back(Make(Kind::kForget, record.lab_run, record.attempt));
  }

  std::vector<Action> Sorted() {
    std::stable_sort(actions_.begin(), actions_.end(), [](const Action& a, const Action& b) {
      auto launch = [](const Action& x) { return x.kind == Kind::kLaunch; };
      if (launch(a) != launch(b)) return launch(b);
      if (a.attempt != b.attempt) return a.attempt < b.attempt;
      return a.lab_run < b.lab_run;
    });
    return std::move(actions_);
  }

  const Answer* answer_;
  const std::vector<Record>& records_;
  const Situation& situation_;
  std::vector<Action> actions_;
};

}  // namespace

std::vector<Action> Reconcile(const Answer* answer, const std::vector<Record>& records,
                              const Situation& situation) {
  return Pass(answer, records, situation).Run();
}

}  // namespace pinka
