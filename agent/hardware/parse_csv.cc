#include <algorithm>
#include <optional>

#include "agent/hardware/facts.h"
#include "agent/hardware/lines.h"
#include "agent/hardware/shapes.h"

namespace pinka::hardware {
namespace {

constexpr std::string_view kDriver = "driver_version";

using Fields = std::vector<std::string_view>;

std::string_view WithoutUnit(std::string_view column) {
  return column.substr(0, std::min(column.find(" ["), column.size()));
}

bool IsColumnName(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  });
}

bool IsKnownColumn(std::string_view name) {
  return name == kDriver || std::ranges::any_of(FactPlaces(), [&](const FactPlace& place) {
           return !place.csv.empty() && place.csv == name;
         });
}

bool IsHeader(const Fields& fields) {
  bool known = false;
  for (const std::string_view field : fields) {
    const std::string_view name = WithoutUnit(field);
    if (!IsColumnName(name)) return false;
    known = known || IsKnownColumn(name);
  }
  return known;
}

// A list of processes names cards as well.
bool IsProcessHeader(const Fields& header) {
  return std::ranges::find(header, std::string_view("pid")) != header.end();
}

// Fields of a row without header tell by themselves what they are, or stay unread: of three sizes
// in MiB nobody knows which is the card's.
std::optional<Fact> FactOf(std::string_view field) {
  if (IsGpuUuid(field)) return Fact::kUuid;
  if (IsBusId(field)) return Fact::kBusId;
  if (IsRecoveryAction(field)) return Fact::kRecovery;
  if (field.size() > 100) return std::nullopt;
  for (const std::string_view brand :
       {"NVIDIA ", "Tesla ", "GeForce ", "Quadro ", "GRID ", "A100-", "A100 "}) {
    if (field.starts_with(brand)) return Fact::kName;
  }
  return std::nullopt;
}

bool IsDriver(std::string_view field) {
  return IsVersion(field) && field.find('.') == 3 && field.size() >= 6;
}

bool IsIndex(std::string_view field) {
  return !field.empty() && field.size() <= 3 &&
         std::ranges::all_of(field, [](char c) { return c >= '0' && c <= '9'; });
}

class Reader {
 public:
  Answer Run(std::string_view text) {
    for (const std::string_view line : Lines(text)) {
      if (answer_.gpus.size() == kMostCards) break;
      ReadLine(line);
    }
    if (!answer_.gpus.empty()) answer_.shape = Shape::kCsv;
    return std::move(answer_);
  }

 private:
  void ReadLine(std::string_view line) {
    if (Trim(line).empty()) return header_.clear();
    const Fields fields = Split(line, ',');
    if (IsHeader(fields)) {
      header_ = fields;
    } else if (header_.empty()) {
      ReadBare(fields);
    } else if (fields.size() == header_.size() && !IsProcessHeader(header_)) {
      ReadNamed(fields);
    }
  }

  void ReadNamed(const Fields& fields) {
    GpuReading gpu = NewCard();
    for (size_t i = 0; i < fields.size(); ++i) {
      const std::string_view name = WithoutUnit(header_[i]);
      if (name == kDriver && IsVersion(fields[i])) answer_.driver = fields[i];
      for (const FactPlace& place : FactPlaces()) {
        if (!place.csv.empty() && place.csv == name) Take(place.fact, fields[i], &gpu);
      }
      if (gpu.fault.empty()) gpu.fault = FaultIn(fields[i]);
    }
    answer_.gpus.push_back(std::move(gpu));
  }

  // A sentence with a comma in it is no row: a row has a card's identity, or an index and what to
  // do about it.
  void ReadBare(const Fields& fields) {
    if (fields.size() < 2) return;
    GpuReading gpu = NewCard();
    bool identified = false;
    for (const std::string_view field : fields) {
      const std::optional<Fact> fact = FactOf(field);
      if (fact) Take(*fact, field, &gpu);
      identified = identified || (fact && *fact != Fact::kRecovery);
      if (gpu.fault.empty()) gpu.fault = FaultIn(field);
      if (IsDriver(field)) answer_.driver = field;
    }
    const bool indexed = IsIndex(fields[0]);
    const bool advised =
        fields.size() == 2 && indexed && (fields[1] == "None" || IsRecoveryAction(fields[1]));
    if (!identified && !advised) return;
    if (indexed) Take(Fact::kIndex, fields[0], &gpu);
    answer_.gpus.push_back(std::move(gpu));
  }

  GpuReading NewCard() const {
    GpuReading gpu;
    gpu.index = static_cast<int>(answer_.gpus.size());
    return gpu;
  }

  Answer answer_;
  Fields header_;
};

}  // namespace

Answer ParseCsv(std::string_view text) { return Reader().Run(text); }

}  // namespace pinka::hardware
