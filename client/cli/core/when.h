// Instants for people: the lab's zone in, the offset out (semantics.md 11).
#pragma once

#include <google/protobuf/timestamp.pb.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "base/time.h"

namespace pinka::cli {

Timestamp FromProto(const google::protobuf::Timestamp& at);
google::protobuf::Timestamp ToProto(Timestamp at);
// "2026-11-30T06:17:07Z", with three or six decimals where they are not zero.
std::string FormatRfc3339(const google::protobuf::Timestamp& at);

class Zone {
 public:
  // An IANA name. Without it, or where the machine has no zone files, UTC: the printed offset says
  // so.
  explicit Zone(const std::string& name = "");
  ~Zone();
  Zone(Zone&&) noexcept;
  Zone& operator=(Zone&&) noexcept;

  std::string Full(Timestamp at) const;   // "2026-11-30 14:17:07+08:00"; "-" if not set
  std::string Short(Timestamp at) const;  // "11-30 14:17+08:00"; "-" if not set
  std::string Day(Timestamp at) const;    // "2026-11-30"

  // "2026-11-30", "2026-11-30T14:00", "2026-11-30 14:00:05", each with an optional offset or Z,
  // "now", "now+2h", "now-3d".
  StatusOr<Timestamp> Parse(const std::string& text, Timestamp now) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Seconds dropped from a day on: "1d4h", "1h30m", "45s", "613ms".
std::string FormatSpan(Duration span);

}  // namespace pinka::cli
