#include "scheduler/web/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <iterator>
#include <string_view>

#include "scheduler/core/types.h"

namespace pinka::web {
namespace {

using prometheus::Labels;

double Seconds(Duration span) { return static_cast<double>(span.micros()) / 1e6; }
double Currency(Money money) { return static_cast<double>(money.micros()) / 1e6; }

// From a tenth of a millisecond, which is a step, to what nobody would wait for.
const prometheus::Histogram::BucketBoundaries kSteps{0.0001, 0.0003, 0.001, 0.003, 0.01,
                                                     0.03,   0.1,    0.3,   1,     3};

class Gauges {
 public:
  explicit Gauges(prometheus::Registry& registry) : registry_(registry) {}
  void Set(const char* name, const char* help, const Labels& labels, double value) {
    prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels).Set(value);
  }

 private:
  prometheus::Registry& registry_;
};

void SetTier(const Figures::Tier& tier, const std::string& currency, Gauges& gauges) {
  const Labels of{{"tier", tier.name}};
  const auto with = [&](const char* key, std::string_view value) {
    return Labels{{"tier", tier.name}, {key, std::string(value)}};
  };
  gauges.Set("pinka_units", "Units of nodes that have not been removed.", of, double(tier.units));
  gauges.Set("pinka_units_free", "Units of READY nodes that run nothing.", of, double(tier.free));
  for (size_t n = 0; n < tier.tasks.size(); ++n) {
    gauges.Set("pinka_tasks", "Tasks that have not ended, by state.",
               with("state", Name(static_cast<TaskState>(n))), double(tier.tasks[n]));
  }
  for (size_t n = 0; n < tier.nodes.size(); ++n) {
    gauges.Set("pinka_nodes", "Nodes that have not been removed, by state.",
               with("state", Name(static_cast<NodeState>(n))), double(tier.nodes[n]));
  }
  gauges.Set("pinka_oldest_wait_seconds", "Age of the oldest waiting job that may start.", of,
             Seconds(tier.oldest_wait));
  gauges.Set("pinka_month_charged", "Charged to members in the lab's month, in its currency.",
             with("currency", currency), Currency(tier.charged));
  gauges.Set("pinka_month_unit_seconds", "Unit-seconds charged in the lab's month.", of,
             double(tier.unit_ms) / 1000);
}

double AmountOf(LimitResource resource, int64_t amount) {
  if (resource == LimitResource::kMoney) return double(amount) / 1e6;
  return resource == LimitResource::kUnitHours ? double(amount) / 3'600'000 : double(amount);
}

void SetLimit(const Figures::Limit& limit, Gauges& gauges) {
  const Labels of{{"scope", limit.scope},
                  {"tier", limit.tier},
                  {"resource", std::string(Name(limit.resource))}};
  gauges.Set("pinka_limit", "Bounded limits of the lab and of projects, in their own unit.", of,
             AmountOf(limit.resource, limit.amount));
  gauges.Set("pinka_limit_used", "What counts against the limit now.", of,
             AmountOf(limit.resource, limit.used));
}

void SetMoney(const Metrics::Now& now, Gauges& gauges) {
  const auto of = [&](const char* kind) {
    return Labels{{"kind", kind}, {"currency", now.currency}};
  };
  const char* help = "Money in lots that can be drawn now, by whether open attempts hold it.";
  gauges.Set("pinka_money", help, of("held"), Currency(now.figures.held));
  gauges.Set("pinka_money", help, of("available"), Currency(now.figures.available));
}

}  // namespace

struct Metrics::Kept {
  prometheus::Registry registry;
  prometheus::Histogram& step = prometheus::BuildHistogram()
                                    .Name("pinka_step_seconds")
                                    .Help("Time in core of a batch: its commands, and the plan.")
                                    .Register(registry)
                                    .Add({}, kSteps);
  prometheus::Histogram& commit = prometheus::BuildHistogram()
                                      .Name("pinka_commit_seconds")
                                      .Help("Time of a batch's transaction.")
                                      .Register(registry)
                                      .Add({}, kSteps);
  prometheus::Counter& reloads = prometheus::BuildCounter()
                                     .Name("pinka_reloads_total")
                                     .Help("How often core was loaded anew from the database.")
                                     .Register(registry)
                                     .Add({});
};

Metrics::Metrics() : kept_(std::make_unique<Kept>()) {}
Metrics::~Metrics() = default;

void Metrics::Stepped(Duration took) { kept_->step.Observe(Seconds(took)); }
void Metrics::Committed(Duration took) { kept_->commit.Observe(Seconds(took)); }
void Metrics::Reloaded() { kept_->reloads.Increment(); }

std::string Metrics::Text(const Now& now) const {
  prometheus::Registry registry;  // of this moment: what has gone is not shown any more
  Gauges gauges(registry);
  gauges.Set("pinka_info", "The version that runs.", {{"version", PINKA_VERSION}}, 1);
  gauges.Set("pinka_leads", "Whether this scheduler leads the lab.", {}, now.leads ? 1 : 0);
  gauges.Set("pinka_batch", "Number of the newest committed batch.", {}, double(now.batch));
  gauges.Set("pinka_alarms", "Alarms since the start that `pinka status` shows.", {},
             double(now.alarms));
  gauges.Set("pinka_members", "Members that have not been removed.", {},
             double(now.figures.members));
  gauges.Set("pinka_holds", "Open holds.", {}, double(now.figures.open_holds));
  gauges.Set("pinka_rentals", "Nodes whose up-time a provider bills now.", {},
             double(now.figures.rentals));
  SetMoney(now, gauges);
  for (const Figures::Tier& tier : now.figures.tiers) SetTier(tier, now.currency, gauges);
  for (const Figures::Limit& limit : now.figures.limits) SetLimit(limit, gauges);
  auto families = registry.Collect();
  auto kept = kept_->registry.Collect();
  std::move(kept.begin(), kept.end(), std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace pinka::web
