#include "agent/nvidia_cards.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/parse.h"

namespace pinka {
namespace {

constexpr uint32_t kNvidiaMajor = 195;

// The value behind "KEY:" of a line, without the blanks around it.
std::string ValueOf(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key + ":")) continue;
    size_t begin = line.find_first_not_of(" \t", key.size() + 1);
    size_t end = line.find_last_not_of(" \t\r");
    return begin == std::string::npos ? "" : line.substr(begin, end + 1 - begin);
  }
  return "";
}

}  // namespace

std::vector<NvidiaCard> NvidiaCards(const std::string& root) {
  std::vector<NvidiaCard> cards;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(root, ignored)) {
    StatusOr<std::string> text = ReadFile(entry.path() / "information");
    if (!text.ok()) return {};
    StatusOr<int64_t> minor = ParseInt(ValueOf(*text, "Device Minor"), 0, 254, "the minor");
    std::string uuid = ValueOf(*text, "GPU UUID");
    if (!minor.ok() || uuid.empty()) return {};
    cards.push_back({.uuid = uuid,
                     .bus = entry.path().filename(),
                     .device = {.major = kNvidiaMajor, .minor = static_cast<uint32_t>(*minor)}});
  }
  std::sort(cards.begin(), cards.end(),
            [](const NvidiaCard& a, const NvidiaCard& b) { return a.bus < b.bus; });
  return cards;
}

std::vector<DeviceNumber> OthersCards(const std::vector<NvidiaCard>& cards,
                                      const std::vector<std::string>& uuids) {
  std::vector<DeviceNumber> others;
  for (const NvidiaCard& card : cards) {
    bool own = std::find(uuids.begin(), uuids.end(), card.uuid) != uuids.end();
    if (!own) others.push_back(card.device);
  }
  return others;
}

}  // namespace pinka
