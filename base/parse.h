// Text forms of values (semantics.md 3 and 11). Every parser refuses with one sentence that says
// what was read, why not, and what would be right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/status.h"
#include "base/time.h"

namespace pinka {

// "90s" "15m" "2h" "3d" "1h30m": units s m h d, each at most once, largest first. A bare number or
// "1:30" is refused with a hint. At most 10 years; > 0 unless written "0s".
StatusOr<Duration> ParseDuration(std::string_view text);
// The shortest exact form of whole seconds: "1h30m", "90s" becomes "1m30s", "0s".
std::string FormatDuration(Duration span);

// "12.50", "¥12.50", at most 6 decimals, optional minus. People's form.
StatusOr<Money> ParseMoney(std::string_view text);
// The wire's form, exactly `-?(0|[1-9][0-9]{0,11})(\.[0-9]{1,6})?`.
StatusOr<Money> ParseWireMoney(std::string_view text);
std::string FormatWireMoney(Money amount);  // six decimals: "12.500000"
std::string FormatMoney(Money amount);      // two decimals, half away: "12.50"
// "¥12.50" for CNY, "$1.00" for USD, "CHF 1.00" otherwise; the sign stands before the currency.
std::string FormatAmount(Money amount, std::string_view currency);

// "16G" "512M" "1.5T" (powers of 1024; K M G T, optional iB/B). Bytes.
StatusOr<int64_t> ParseMemory(std::string_view text);
std::string FormatMemory(int64_t bytes);

// ISO 8601 in UTC with microseconds trimmed: "2026-11-30T06:17:07Z".
std::string FormatUtc(Timestamp at);

// Whole decimal integer in [min, max]; `what` names it in the refusal.
StatusOr<int64_t> ParseInt(std::string_view text, int64_t min, int64_t max, std::string_view what);

}  // namespace pinka
