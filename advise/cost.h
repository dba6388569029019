// Own machine or rented card: the guide's reckoning (section 2.3), and what hides behind a price by
// the hour (section 5.1). Money in the lab's currency, rounded once.
#pragma once

#include <string>
#include <vector>

#include "base/money.h"
#include "base/status.h"
#include "base/time.h"

namespace pinka::advise {

struct CostAsk {
  // The own machine, for one epoch (or one run).
  Duration local;
  int64_t watts = 0;
  Money kwh;   // price of one kWh
  Money wear;  // an hour, if somebody counts it
  // The rented card.
  Duration cloud;
  Rate rate;         // an hour
  Duration minimum;  // billed at least
  Duration block = Duration::Seconds(1);
  double egress_gb = 0;
  Money egress;  // per GB
  double disk_gb = 0;
  Rate disk;  // per GB-hour
  int64_t epochs = 1;
};

struct CostAnswer {
  Money local;  // all epochs
  Money cloud;  // compute as billed
  Money egress;
  Money disk;
  Money cloud_total;
  Duration billed;         // of the rented card
  Money unused;            // paid for time that nobody used
  Duration saved;          // sooner done
  Money price_of_an_hour;  // what each hour sooner costs; 0 where renting is cheaper or no sooner
  Rate break_even;         // below this rate renting is cheaper
  bool cloud_is_cheaper = false;
  std::vector<std::string> notes;
};
// InvalidArgument where a time or a price makes no sense.
StatusOr<CostAnswer> CompareCost(const CostAsk& ask);

// Seconds as a provider bills them: at least the minimum, in whole blocks.
Duration BilledTime(Duration used, Duration minimum, Duration block);

}  // namespace pinka::advise
