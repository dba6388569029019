#include "agent/box.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/parse.h"
#include "base/text.h"

namespace pinka {
namespace {

constexpr char kJobAccount[] = "pinka-job";
constexpr uid_t kFirstPerson = 1'000;  // below are the system's own accounts
constexpr uid_t kNobody = 65'534;
constexpr char kPlainPath[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// The guide's cards. A simulated card of another name has no memory to show.
int64_t MemoryOf(const std::string& card) {
  static const std::map<std::string, int64_t> cards = {
      {"t4", 15'360},      {"rtx3090", 24'576}, {"rtx4090", 24'564}, {"a10", 23'028},
      {"l20", 46'068},     {"v100", 32'768},    {"a100", 81'920},    {"a100-80", 81'920},
      {"a100-40", 40'960}, {"h20", 97'871},     {"h100", 81'559}};
  auto found = cards.find(card);
  return found == cards.end() ? 0 : found->second;
}

std::string EnvironmentOr(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

}  // namespace

StatusOr<std::vector<Gpu>> SimulatedGpus(const std::string& spec, const std::string& node) {
  std::vector<Gpu> gpus;
  for (size_t at = 0; at < spec.size();) {
    size_t end = std::min(spec.find(',', at), spec.size());
    std::string item = spec.substr(at, end - at);
    size_t colon = item.find(':');
    std::string card = item.substr(0, colon);
    if (colon == std::string::npos || card.empty() || !IsPrintableName(card, 64)) {
      return Invalid(
          fmt::format("simulated GPUs are written CARD:COUNT, as rtx3090:4, not {}", item));
    }
    StatusOr<int64_t> count = ParseInt(item.substr(colon + 1), 1, 64, "number of simulated GPUs");
    if (!count.ok()) return count.status();
    for (int64_t i = 0; i < *count; ++i) {
      gpus.push_back({.uuid = fmt::format("SIM-{}-{}-{}", node, card, i),
                      .name = card,
                      .memory_mib = MemoryOf(card)});
    }
    at = end + 1;
  }
  return gpus;
}

int UsableCpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int64_t MemoryBytes() { return int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE); }

std::string Hostname() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

void FindJobAccount(Box* box) {
  const passwd* entry = geteuid() == 0 ? getpwnam(kJobAccount) : nullptr;
  if (entry != nullptr) {
    box->account = kJobAccount;
  } else {
    entry = getpwuid(geteuid());
  }
  box->user = entry ? entry->pw_name : fmt::format("{}", geteuid());
  // An account that was made for jobs has no home: they get their scratch directory then.
  bool has_home = entry != nullptr && std::filesystem::is_directory(entry->pw_dir);
  box->home = has_home ? entry->pw_dir : "";
  box->lang = EnvironmentOr("LANG", "C.UTF-8");
  box->path = EnvironmentOr("PATH", kPlainPath);
}

JobAccount AccountFor(const Box& box, const std::string& member) {
  JobAccount usual{.account = box.account, .home = box.home, .user = box.user};
  if (!box.own_accounts || geteuid() != 0) return usual;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer;
  getpwnam_r(member.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr || found->pw_uid < kFirstPerson || found->pw_uid >= kNobody) return usual;
  bool has_home = std::filesystem::is_directory(found->pw_dir);
  return {.account = member, .home = has_home ? found->pw_dir : "", .user = member};
}

bool IsPassable(const std::string& path) {
  std::filesystem::path so_far;
  for (const auto& part : std::filesystem::absolute(path)) {
    so_far /= part;
    struct stat info {};
    if (stat(so_far.c_str(), &info) != 0 || (info.st_mode & S_IXOTH) == 0) return false;
  }
  return true;
}

}  // namespace pinka
