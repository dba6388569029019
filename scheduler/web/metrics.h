// /metrics for Prometheus: what the lab's state says at the moment of the scrape, and how long
// batches took since the start. Names and labels are listed in docs/metrics.md. No member's name is
// among them: the page's rights do not apply to who scrapes.
#pragma once

#include <memory>
#include <string>

#include "base/time.h"
#include "scheduler/core/figures.h"

namespace pinka::web {

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // Thread-safe; cheap enough for every batch.
  void Stepped(Duration took);    // core: a batch's commands and the plan
  void Committed(Duration took);  // the database: one transaction
  void Reloaded();                // core was loaded anew

  struct Now {
    Figures figures;
    std::string currency;
    bool leads = false;
    int64_t batch = 0;
    int64_t alarms = 0;
  };
  // In Prometheus' text format.
  std::string Text(const Now& now) const;

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace pinka::web
