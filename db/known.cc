#include "db/known.h"

namespace pinka::db {
namespace {

constexpr size_t kMostPayloads = 10'000;

}  // namespace

void Known::Loaded(const LabRow& lab) { lab_ = lab; }

void Known::Committed(const Changes& changes) {
  if (lab_ && !changes.lab.empty()) lab_ = changes.lab.front();
  if (payloads_.size() > kMostPayloads) payloads_.clear();
  for (const PayloadRow& row : changes.payloads) payloads_.insert(row.hash);
}

bool Known::OnlyCounters(const LabRow& lab) const {
  if (!lab_) return false;
  LabRow same = lab;
  same.next_id = lab_->next_id;
  same.next_job = lab_->next_job;
  same.next_transfer = lab_->next_transfer;
  return same == *lab_;
}

std::vector<PayloadRow> Known::NotThere(const std::vector<PayloadRow>& payloads) const {
  std::vector<PayloadRow> out;
  for (const PayloadRow& row : payloads) {
    if (!payloads_.contains(row.hash)) out.push_back(row);
  }
  return out;
}

}  // namespace pinka::db
