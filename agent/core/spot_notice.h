// What says that a provider takes this machine away, and what stands of it from one answer to the
// next. The table of metadata services is in spot_notice.cc; the shell asks (agent/spot_watch.h).
// Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/status.h"
#include "base/time.h"

namespace pinka {

struct SpotAnswer {
  enum class Kind { kNone, kNotice, kTrouble };
  Kind kind = Kind::kNone;
  Timestamp deadline;   // kNotice: wall clock; may lie a little behind
  bool named = true;    // kNotice: the provider named it; else it is counted from now
  std::string trouble;  // kTrouble: what is wrong, a sentence without its end
};

struct SpotHeader {
  const char* name = "";
  const char* value = "";
};

// One metadata service.
struct SpotService {
  const char* name;
  const char* address;  // where --metadata-url says nothing else
  // Asked before the question. Its answer goes into the question's header `token_header`, or where
  // that is "" it is what the machine is called in the answers. A method of "": nothing is.
  struct First {
    const char* method = "";
    const char* path = "";
    SpotHeader header;
    const char* token_header = "";
    bool must = false;  // without it the question is not put
  } first;
  const char* path;
  SpotHeader header;
  // `machine`: what it is called there; "": not known.
  SpotAnswer (*read)(int status, const std::string& body, const std::string& machine,
                     Timestamp now);
};
std::span<const SpotService> SpotServices();

// What --spot-notice and --metadata-url mean.
struct SpotSource {
  const SpotService* service = nullptr;
  std::string host;     // of the service
  int port = 80;        //
  std::string prefix;   // of its paths: "" or "/…" without a slash at its end
  std::string program;  // instead of a service
  bool Asks() const { return service != nullptr || !program.empty(); }
};
StatusOr<SpotSource> ParseSpotSource(const std::string& notice, const std::string& url);

// How a program that was asked has ended: 0 is a notice, whose first line of output may hold the
// seconds left or an RFC 3339 time (else: 30 s), 1 none.
SpotAnswer ReadSpotProgram(int exit_code, const std::string& output, Timestamp now);

struct SpotReclaim {
  Timestamp deadline;  // as people are told it
  Duration at;         // the same on CLOCK_BOOTTIME, which nobody sets
};

// What stands. A notice stands until an answer says that there is none; where nothing sensible is
// answered any more, until five minutes after its deadline. A deadline that the provider names may
// move either way, one that is only counted from the answer only nearer.
class SpotStanding {
 public:
  // True: a notice came, moved or went.
  bool Take(const SpotAnswer& answer, Timestamp now, Duration boottime);
  const std::optional<SpotReclaim>& reclaim() const { return reclaim_; }

 private:
  std::optional<SpotReclaim> reclaim_;
};

}  // namespace pinka
