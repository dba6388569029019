#include "agent/hardware_news.h"

#include <algorithm>

#include "base/text.h"
#include "catalogue/version.h"

namespace pinka {
namespace {

using Newest = inspect::Checker::Newest;

v1::HardwareReport::Verdict ToWire(hardware::Verdict verdict) {
  switch (verdict) {
    case hardware::Verdict::kOk:
    case hardware::Verdict::kWarning:
      return v1::HardwareReport::OK;
    case hardware::Verdict::kMismatch:
      return v1::HardwareReport::MISMATCH;
    case hardware::Verdict::kUnusable:
      return v1::HardwareReport::UNUSABLE;
  }
  return v1::HardwareReport::UNUSABLE;
}

std::string Utf8(const std::string& bytes) {
  return IsValidUtf8(bytes) ? bytes : SanitizeForTerminal(bytes);
}

void FillCards(const Newest& newest, v1::NodeFacts* facts) {
  facts->clear_gpus();
  for (const hardware::Standing::Card& card : newest.cards) {
    v1::GpuInfo* info = facts->add_gpus();
    info->set_index(facts->gpus_size() - 1);
    info->set_uuid(Utf8(card.uuid));
    info->set_name(Utf8(card.name));
    info->set_memory_mib(card.memory_mib);
    info->set_fault(Utf8(card.fault));
  }
}

}  // namespace

HardwareNews::HardwareNews(const Box& box, inspect::Checker* checker, int64_t incarnation)
    : box_(box), checker_(checker), incarnation_(incarnation) {}

std::string HardwareNews::Shape() const {
  return checker_ == nullptr ? std::to_string(demanded_) + "\n" : checker_->newest()->id + "\n";
}

void HardwareNews::Fill(v1::SynchronizeRequest* request) const {
  if (checker_ == nullptr && demanded_ == 0) return;
  v1::HardwareReport* report = request->mutable_hardware();
  if (checker_ == nullptr) {
    report->set_id(std::to_string(incarnation_) + ".d" + std::to_string(demanded_));
    report->set_verdict(v1::HardwareReport::OK);
    report->set_why(box_.simulated ? "its cards are simulated: there is nothing to check"
                                   : "it offers no cards: there is nothing to check");
    report->set_cause("demand");
    report->set_demand(demanded_);
    return;
  }
  const auto newest = checker_->newest();
  FillCards(*newest, request->mutable_facts());
  const StatusOr<Version> cuda = ParseVersion(newest->cuda);
  request->mutable_facts()->set_cuda(cuda.ok() ? CudaNumber(*cuda) : 0);
  report->set_id(newest->id);
  report->set_verdict(ToWire(newest->verdict));
  report->set_why(Utf8(newest->why));
  report->set_cause(newest->cause);
  report->set_demand(newest->demand);
  if (newest->id != told_) report->set_evidence(Utf8(newest->evidence));
}

void HardwareNews::TakeAnswer(const v1::SynchronizeRequest& request,
                              const v1::SynchronizeResponse& response, bool was_silent) {
  if (request.has_hardware()) told_ = request.hardware().id();
  demanded_ = std::max(demanded_, response.verify());
  if (checker_ == nullptr) return;
  checker_->Demand(demanded_);
  if (was_silent) checker_->Returned();
}

std::set<std::string> HardwareNews::Uuids() const {
  std::set<std::string> uuids;
  for (const Gpu& gpu : box_.gpus) uuids.insert(gpu.uuid);
  if (checker_ == nullptr) return uuids;
  for (const auto& card : checker_->newest()->cards) uuids.insert(card.uuid);
  return uuids;
}

std::set<std::string> HardwareNews::LostUuids() const {
  std::set<std::string> uuids;
  if (checker_ == nullptr) return uuids;
  for (const auto& card : checker_->newest()->cards) {
    if (!card.fault.empty()) uuids.insert(card.uuid);
  }
  return uuids;
}

bool HardwareNews::Wrong() const {
  return checker_ != nullptr && checker_->newest()->verdict == hardware::Verdict::kMismatch;
}

}  // namespace pinka
