#include "scheduler/core/changes.h"

namespace pinka {

int64_t Changes::rows() const {
  const size_t n = lab.size() + members.size() + projects.size() + tiers.size() + nodes.size() +
                   jobs.size() + job_texts.size() + tasks.size() + attempts.size() + holds.size() +
                   hold_lines.size() + hold_cuts.size() + packages.size() + portions.size() +
                   limits.size() + spend.size() + usage.size() + tokens.size() + lot_flags.size() +
                   accounts.size() + new_lots.size() + lot_moves.size() + rates.size() +
                   periods.size() + payloads.size() + settlements.size() + transfers.size() +
                   requests.size() + events.size() + months.size() + positions.size() +
                   payments.size() + thresholds.size() + payers.size() + cards.size() +
                   billing.size() + rentals.size() + invoices.size() + invoice_lines.size();
  return static_cast<int64_t>(n);
}

bool Changes::empty() const { return rows() == 0; }

}  // namespace pinka
