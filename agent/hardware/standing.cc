#include "agent/hardware/standing.h"

#include <algorithm>

namespace pinka::hardware {
namespace {

constexpr int kDeadUntilOut = 3;
constexpr int kSickUntilOut = 2;
constexpr int kGoodUntilBack = 2;

enum class Kind { kGood, kWrong, kPassing, kDead };

Kind KindOf(const Judgement& judgement) {
  bool ok = false;
  bool passing = false;
  for (const GpuFinding& gpu : judgement.gpus) {
    ok = ok || gpu.verdict == Verdict::kOk;
    if (gpu.verdict != Verdict::kMismatch) continue;
    if (!gpu.passing) return Kind::kWrong;
    passing = true;
  }
  if (passing) return Kind::kPassing;
  return ok ? Kind::kGood : Kind::kDead;
}

}  // namespace

void Standing::Take(const Judgement& judgement, bool at_once) {
  const Kind kind = KindOf(judgement);
  bad_ = kind == Kind::kGood ? 0 : bad_ + 1;
  good_ = kind == Kind::kGood ? good_ + 1 : 0;
  const bool enough = at_once || bad_ >= kDeadUntilOut;
  if (kind == Kind::kWrong || (kind != Kind::kGood && enough)) {
    verdict_ = kind == Kind::kDead ? Verdict::kUnusable : Verdict::kMismatch;
    why_ = judgement.why;
  } else if (kind == Kind::kGood && (at_once || good_ >= kGoodUntilBack)) {
    verdict_ = Verdict::kOk;
    why_ = judgement.why;
  }
  TakeCards(judgement, at_once);
}

// Where nothing counts at all, that is the node's fault and no card's.
void Standing::TakeCards(const Judgement& judgement, bool at_once) {
  for (const GpuFinding& gpu : judgement.gpus) {
    const std::string& uuid = gpu.reading.uuid;
    if (uuid.empty() || (!only_.empty() && !only_.contains(uuid))) continue;
    const auto same = [&](const Known& k) { return k.card.uuid == uuid; };
    if (std::ranges::none_of(known_, same))
      known_.push_back({{uuid, gpu.reading.name, gpu.reading.memory_mib, ""}});
  }
  if (KindOf(judgement) == Kind::kDead) return;
  for (Known& known : known_) {
    const auto gpu = std::ranges::find_if(
        judgement.gpus, [&](const GpuFinding& g) { return g.reading.uuid == known.card.uuid; });
    std::string fault;
    if (gpu == judgement.gpus.end()) fault = "it is not shown any more";
    if (gpu != judgement.gpus.end() && gpu->verdict == Verdict::kUnusable) fault = gpu->why;
    known.bad = fault.empty() ? 0 : known.bad + 1;
    known.good = fault.empty() ? known.good + 1 : 0;
    if (!fault.empty() && (at_once || known.bad >= kSickUntilOut)) known.card.fault = fault;
    if (fault.empty() && (at_once || known.good >= kGoodUntilBack)) known.card.fault.clear();
  }
}

std::vector<Standing::Card> Standing::cards() const {
  std::vector<Card> cards;
  for (const Known& known : known_) cards.push_back(known.card);
  return cards;
}

bool Standing::LookAgainSoon() const {
  const bool sick = std::ranges::any_of(
      known_, [](const Known& k) { return k.bad > 0 || !k.card.fault.empty(); });
  return bad_ > 0 || verdict_ != Verdict::kOk || sick;
}

}  // namespace pinka::hardware
