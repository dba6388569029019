#include "agent/inspect/checker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "agent/hardware/parse_answer.h"
#include "agent/hardware/used_memory.h"
#include "agent/inspect/report.h"
#include "agent/inspect/run_program.h"

namespace pinka::inspect {
namespace {

constexpr Duration kSoon = Duration::Seconds(20);
constexpr Duration kReturnRest = Duration::Seconds(60);  // a flapping line makes no flood of checks
constexpr Duration kOrderDeadline = Duration::Seconds(15);

}  // namespace

Checker::Checker(Options options)
    : options_(std::move(options)), standing_(options_.only), newest_(std::make_shared<Newest>()) {}

Checker::~Checker() {
  if (thread_.joinable()) thread_.request_stop();
}

void Checker::Join() { Check("join", 0); }

void Checker::Start(std::function<void()> changed) {
  changed_ = std::move(changed);
  thread_ = std::jthread([this](std::stop_token stop) { Loop(stop); });
}

void Checker::Demand(int64_t demand) {
  std::lock_guard lock(mutex_);
  demanded_ = std::max(demanded_, demand);
  wake_.notify_all();
}

void Checker::Returned() {
  std::lock_guard lock(mutex_);
  returned_ = clock_.Boottime() - checked_at_ > kReturnRest;
  wake_.notify_all();
}

std::shared_ptr<const Checker::Newest> Checker::newest() const {
  std::lock_guard lock(mutex_);
  return newest_;
}

// At random, so that nobody can put a good card in for the hour of the check.
Duration Checker::Pause() {
  const int64_t every = std::max<int64_t>(options_.every.millis(), 2);
  const auto part = static_cast<int64_t>(random_.Next() % static_cast<uint64_t>(every));
  const Duration pause = Duration::Millis(every / 2 + part);
  return standing_.LookAgainSoon() ? std::min(pause, kSoon) : pause;
}

void Checker::Loop(std::stop_token stop) {
  while (!stop.stop_requested()) {
    std::string cause = "random";
    int64_t demand = 0;
    {
      std::unique_lock lock(mutex_);
      const auto span = std::chrono::milliseconds(Pause().millis());
      wake_.wait_for(lock, stop, span, [this] { return returned_ || demanded_ > newest_->demand; });
      if (stop.stop_requested()) return;
      if (std::exchange(returned_, false)) cause = "return";
      if (demanded_ > newest_->demand) cause = "demand";
      demand = demanded_;
    }
    Check(cause, demand);
    changed_();
  }
}

void Checker::Check(const std::string& cause, int64_t demand) {
  Questions questions = options_.questions;
  if (cause == "random") questions.disk.clear();  // jobs are using it
  hardware::Evidence evidence;
  {
    std::lock_guard asking(asking_);
    evidence = Collect(questions);
  }
  const hardware::Judgement judgement = hardware::Judge(evidence, options_.claim);
  std::lock_guard lock(mutex_);
  standing_.Take(judgement, cause == "join" || cause == "demand");
  auto next = std::make_shared<Newest>();
  next->id = options_.id_prefix + std::to_string(++number_);
  next->verdict = standing_.verdict();
  next->why = standing_.why();
  next->cause = cause;
  next->demand = demand;
  next->evidence = ToEvidence(judgement, evidence);
  next->cards = standing_.cards();
  next->cuda = judgement.cuda;
  std::vector<std::string> order;
  for (const hardware::GpuFinding& gpu : judgement.gpus) order.push_back(gpu.reading.uuid);
  if (!order.empty()) order_ = std::move(order);
  newest_ = std::move(next);
  checked_at_ = clock_.Boottime();
}

std::vector<std::string> Checker::PciOrder() {
  std::vector<std::string> order;
  {
    std::lock_guard asking(asking_);
    const Outcome outcome = RunProgram({options_.questions.nvidia_smi, "-L"}, kOrderDeadline);
    if (!outcome.timed_out && outcome.status == 0) {
      for (const hardware::GpuReading& gpu : hardware::ParseAnswer(outcome.output).gpus)
        order.push_back(gpu.uuid);
    }
  }
  std::lock_guard lock(mutex_);
  if (!order.empty()) order_ = std::move(order);
  return order_;
}

std::map<std::string, int64_t> Checker::UsedMemory() {
  std::lock_guard asking(asking_);
  const Outcome outcome = RunProgram({options_.questions.nvidia_smi, "--query-gpu=uuid,memory.used",
                                      "--format=csv,noheader,nounits"},
                                     kOrderDeadline, Streams::kOutput);
  if (outcome.timed_out || outcome.status != 0) return {};
  return hardware::ParseUsedMemory(outcome.output);
}

}  // namespace pinka::inspect
