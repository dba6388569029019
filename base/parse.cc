#include "base/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace pinka {
namespace {

constexpr int64_t kDaySeconds = 86'400;
constexpr int64_t kLongestSeconds = 3'650 * kDaySeconds;
constexpr int kMoneyDecimals = 6;
constexpr size_t kMoneyDigits = 12;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

// Leading digits of *text, taken off it; nullopt where there are none or they leave 64 bits.
std::optional<int64_t> TakeDigits(std::string_view* text) {
  if (text->empty() || !IsDigit(text->front())) return std::nullopt;
  int64_t n = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), n);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return n;
}

bool TakePrefix(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

// ---- durations ----

struct Unit {
  char letter;
  int64_t seconds;
};
constexpr Unit kUnits[] = {{'d', kDaySeconds}, {'h', 3'600}, {'m', 60}, {'s', 1}};

const Unit* FindUnit(char letter) {
  for (const Unit& unit : kUnits) {
    if (unit.letter == letter) return &unit;
  }
  return nullptr;
}

Status NoDuration(std::string_view text, std::string_view why) {
  return Invalid(fmt::format("\"{}\" is not a duration: {}", text, why));
}

Status BareNumber(std::string_view text) {
  if (text.size() > 9) return NoDuration(text, "it has no unit, write one such as 90s or 2h");
  return NoDuration(text, fmt::format("it has no unit, write {0}s, {0}m, {0}h or {0}d", text));
}

// One "90s" off *rest, added to *seconds; the units must get smaller.
Status TakePart(std::string_view text, std::string_view* rest, int64_t* last, int64_t* seconds) {
  std::optional<int64_t> n = TakeDigits(rest);
  if (!n) return NoDuration(text, "write whole numbers with units, such as 90s, 15m, 2h or 1h30m");
  if (rest->empty()) return NoDuration(text, "its last number has no unit, write s, m, h or d");
  const Unit* unit = FindUnit(rest->front());
  if (unit == nullptr) return NoDuration(text, "the units are s, m, h and d, as in 90s or 1h30m");
  if (unit->seconds >= *last) {
    return NoDuration(text, "each unit stands once and the largest first, as in 1h30m");
  }
  rest->remove_prefix(1);
  *last = unit->seconds;
  if (*n > kLongestSeconds / unit->seconds) return NoDuration(text, "the longest is 3650d");
  *seconds += *n * unit->seconds;
  return OkStatus();
}

// ---- money ----

Status NoMoney(std::string_view text, std::string_view why) {
  return Invalid(fmt::format("\"{}\" is not an amount of money: {}", text, why));
}

// `12` and `5` of "12.5" as micro-units; both are digits, at most 12 and 6 of them.
Money FromDigits(bool negative, std::string_view whole, std::string_view decimals) {
  int64_t micros = 0;
  for (char c : whole) micros = micros * 10 + (c - '0');
  for (size_t i = 0; i < kMoneyDecimals; ++i) {
    micros = micros * 10 + (i < decimals.size() ? decimals[i] - '0' : 0);
  }
  return Money::Micros(negative ? -micros : micros);
}

struct Parts {
  std::string_view whole;
  std::string_view decimals;
  bool has_point = false;
};

Parts SplitAtPoint(std::string_view text) {
  size_t point = text.find('.');
  if (point == std::string_view::npos) return {text, "", false};
  return {text.substr(0, point), text.substr(point + 1), true};
}

std::string_view WithoutLeadingZeros(std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

// "-12.50": sign, then what stands between sign and number, then so many decimals.
std::string FormatDecimal(Money amount, std::string_view before, int decimals) {
  int64_t micros = amount.micros();
  int64_t scale = decimals == 2 ? 10'000 : 1;
  int64_t shown = MulDivRound(micros, 1, scale);
  uint64_t per_whole = decimals == 2 ? 100 : 1'000'000;
  uint64_t size =
      shown < 0 ? uint64_t{0} - static_cast<uint64_t>(shown) : static_cast<uint64_t>(shown);
  return fmt::format("{}{}{}.{:0{}}", shown < 0 ? "-" : "", before, size / per_whole,
                     size % per_whole, decimals);
}

// ---- memory ----

struct Scale {
  char letter;
  int64_t bytes;
};
constexpr Scale kScales[] = {
    {'T', int64_t{1} << 40}, {'G', int64_t{1} << 30}, {'M', int64_t{1} << 20}, {'K', 1'024}};

Status NoMemory(std::string_view text, std::string_view why) {
  return Invalid(fmt::format("\"{}\" is not an amount of memory: {}", text, why));
}

char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// The scale that "G", "GB" or "GiB" names; 1 for "B"; 0 for anything else.
int64_t ScaleOf(std::string_view unit) {
  if (unit == "B") return 1;
  for (const Scale& scale : kScales) {
    if (unit.empty() || Upper(unit.front()) != scale.letter) continue;
    std::string_view rest = unit.substr(1);
    return rest.empty() || rest == "B" || rest == "iB" ? scale.bytes : 0;
  }
  return 0;
}

// "1.5" of a scale, in bytes, rounded to the byte; nullopt where that leaves 64 bits.
std::optional<int64_t> Scaled(const Parts& number, int64_t scale) {
  std::string_view whole = number.whole;
  std::optional<int64_t> n = TakeDigits(&whole);
  int64_t bytes = 0;
  if (!n || __builtin_mul_overflow(*n, scale, &bytes)) return std::nullopt;
  int64_t millionths = FromDigits(false, "0", number.decimals).micros();
  if (__builtin_add_overflow(bytes, MulDivRound(millionths, scale, 1'000'000), &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

std::string Tenths(int64_t bytes, const Scale& scale) {
  int64_t tenths = MulDivRound(bytes, 10, scale.bytes);
  if (tenths % 10 == 0) return fmt::format("{}{}", tenths / 10, scale.letter);
  return fmt::format("{}.{}{}", tenths / 10, tenths % 10, scale.letter);
}

}  // namespace

StatusOr<Duration> ParseDuration(std::string_view text) {
  if (text.empty()) return NoDuration(text, "it is empty, write one such as 90s or 2h");
  if (text == "0s") return Duration();
  if (AllDigits(text)) return BareNumber(text);
  if (text.find(':') != std::string_view::npos) {
    return NoDuration(text, "colons could mean minutes or hours, write 1h30m or 1m30s");
  }
  std::string_view rest = text;
  int64_t last = INT64_MAX;
  int64_t seconds = 0;
  while (!rest.empty()) {
    if (Status part = TakePart(text, &rest, &last, &seconds); !part.ok()) return part;
  }
  if (seconds > kLongestSeconds) return NoDuration(text, "the longest is 3650d");
  if (seconds == 0) return NoDuration(text, "it is zero, write 0s if that is meant");
  return Duration::Seconds(seconds);
}

std::string FormatDuration(Duration span) {
  int64_t seconds = span.seconds();
  if (seconds == 0) return "0s";
  std::string text = seconds < 0 ? "-" : "";
  seconds = std::abs(seconds);
  for (const Unit& unit : kUnits) {
    if (seconds >= unit.seconds) text += fmt::format("{}{}", seconds / unit.seconds, unit.letter);
    seconds %= unit.seconds;
  }
  return text;
}

StatusOr<Money> ParseMoney(std::string_view text) {
  std::string_view rest = text;
  bool negative = TakePrefix(&rest, "-");
  if (!TakePrefix(&rest, "¥")) TakePrefix(&rest, "￥");
  Parts parts = SplitAtPoint(rest);
  if (rest.find(',') != std::string_view::npos) {
    return NoMoney(text, "leave the commas out, as in 12000.50");
  }
  if (!AllDigits(parts.whole) || (parts.has_point && !AllDigits(parts.decimals))) {
    return NoMoney(text, "write it as 12.50 or ¥12.50");
  }
  if (parts.decimals.size() > kMoneyDecimals) {
    return NoMoney(text, "it has more than 6 decimals, round it to a millionth");
  }
  std::string_view whole = WithoutLeadingZeros(parts.whole);
  if (whole.size() > kMoneyDigits) {
    return NoMoney(text, "it has more than 12 digits before the point, write a smaller amount");
  }
  return FromDigits(negative, whole, parts.decimals);
}

StatusOr<Money> ParseWireMoney(std::string_view text) {
  std::string_view rest = text;
  bool negative = TakePrefix(&rest, "-");
  Parts parts = SplitAtPoint(rest);
  bool whole_ok = AllDigits(parts.whole) && parts.whole.size() <= kMoneyDigits &&
                  WithoutLeadingZeros(parts.whole) == parts.whole;
  bool decimals_ok =
      !parts.has_point || (AllDigits(parts.decimals) && parts.decimals.size() <= kMoneyDecimals);
  if (!whole_ok || !decimals_ok) {
    return NoMoney(text, "send a plain decimal string such as 12.500000");
  }
  return FromDigits(negative, parts.whole, parts.decimals);
}

std::string FormatWireMoney(Money amount) { return FormatDecimal(amount, "", kMoneyDecimals); }

std::string FormatMoney(Money amount) { return FormatDecimal(amount, "", 2); }

std::string FormatAmount(Money amount, std::string_view currency) {
  if (currency == "CNY") return FormatDecimal(amount, "¥", 2);
  if (currency == "USD") return FormatDecimal(amount, "$", 2);
  return FormatDecimal(amount, fmt::format("{} ", currency), 2);
}

StatusOr<int64_t> ParseMemory(std::string_view text) {
  size_t unit_at = std::min(text.find_first_not_of("0123456789."), text.size());
  Parts number = SplitAtPoint(text.substr(0, unit_at));
  std::string_view unit = text.substr(unit_at);
  bool decimals_ok =
      !number.has_point || (AllDigits(number.decimals) && number.decimals.size() <= kMoneyDecimals);
  if (!AllDigits(number.whole) || !decimals_ok) {
    return NoMemory(text, "write a number and a unit, such as 16G, 512M or 1.5T");
  }
  if (unit.empty()) {
    return NoMemory(text, fmt::format("it has no unit, write {0}G or {0}M", number.whole));
  }
  int64_t scale = ScaleOf(unit);
  if (scale == 0) return NoMemory(text, "the units are K, M, G and T, as in 16G or 512M");
  std::optional<int64_t> bytes = Scaled(number, scale);
  if (!bytes) return NoMemory(text, "no machine has so much, write a smaller amount");
  return *bytes;
}

// The largest unit that shows the value exactly with one decimal and under five digits; where none
// does, the largest unit, rounded.
std::string FormatMemory(int64_t bytes) {
  if (bytes < 0) return "-" + FormatMemory(bytes == INT64_MIN ? INT64_MAX : -bytes);
  if (bytes < 1'024) return fmt::format("{}B", bytes);
  const Scale* largest = nullptr;
  for (const Scale& scale : kScales) {
    if (bytes < scale.bytes) continue;
    if (largest == nullptr) largest = &scale;
    bool exact = (bytes % scale.bytes) * 10 % scale.bytes == 0;
    if (exact && bytes / scale.bytes < 10'000) return Tenths(bytes, scale);
  }
  return Tenths(bytes, *largest);
}

// Days to a civil date by eras of 400 years, counted from 1 March 0000 (std::chrono's year stops
// at 32767, and a Timestamp does not).
std::string FormatUtc(Timestamp at) {
  if (at == Timestamp::Never()) return "never";
  int64_t seconds = at.micros() / 1'000'000 - (at.micros() % 1'000'000 < 0 ? 1 : 0);
  int64_t of_day = ((seconds % kDaySeconds) + kDaySeconds) % kDaySeconds;
  int64_t day = (seconds - of_day) / kDaySeconds + 719'468;
  int64_t era = (day >= 0 ? day : day - 146'096) / 146'097;
  int64_t of_era = day - era * 146'097;
  int64_t year_of_era = (of_era - of_era / 1'460 + of_era / 36'524 - of_era / 146'096) / 365;
  int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t from_march = (5 * of_year + 2) / 153;
  int64_t month = from_march < 10 ? from_march + 3 : from_march - 9;
  int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, month,
                     of_year - (153 * from_march + 2) / 5 + 1, of_day / 3'600, of_day / 60 % 60,
                     of_day % 60);
}

StatusOr<int64_t> ParseInt(std::string_view text, int64_t min, int64_t max, std::string_view what) {
  int64_t n = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, n);
  bool read = error == std::errc() && stop == end && !text.empty();
  if (read && n >= min && n <= max) return n;
  return Invalid(
      fmt::format("{} is \"{}\": write a whole number from {} to {}", what, text, min, max));
}

}  // namespace pinka
