#include "agent/record/events.h"

#include "agent/record/fields.h"

namespace pinka {
namespace {

void AddOptional(Fields* f, std::string_view key, const std::optional<int>& value) {
  if (value) f->AddInt(key, *value);
}

std::optional<int> GetOptional(const Fields& f, std::string_view key) {
  if (!f.Has(key)) return std::nullopt;
  return static_cast<int>(f.GetInt(key, 0));
}

}  // namespace

std::string Encode(const Claim& claim) {
  Fields f;
  f.AddInt("pid", claim.pid);
  f.AddInt("start_ticks", claim.start_ticks);
  f.Add("boot_id", claim.boot_id);
  for (const std::string& path : claim.cgroups) f.Add("cgroup", path);
  return f.Encode("launched");
}

std::string Encode(const Started& started) {
  Fields f;
  f.AddInt("at_us", started.at_us);
  return f.Encode("started");
}

std::string Encode(const Meter& meter) {
  Fields f;
  f.AddInt("metered_ms", meter.metered_ms);
  f.AddInt("peak_memory", meter.peak_memory);
  return f.Encode("meter");
}

std::string Encode(const CardPeak& peak) {
  Fields f;
  f.AddInt("bytes", peak.bytes);
  return f.Encode("card");
}

std::string Encode(const MainEnd& end) {
  Fields f;
  AddOptional(&f, "code", end.code);
  AddOptional(&f, "signal", end.signal);
  f.AddInt("metered_ms", end.metered_ms);
  return f.Encode("main");
}

std::string Encode(const Stop& stop) {
  Fields f;
  f.Add("reason", stop.reason);
  f.AddInt("grace_ms", stop.grace_ms);
  f.AddInt("lead_ms", stop.lead_ms);
  f.AddInt("asked_ms", stop.asked_ms);
  return f.Encode("stop");
}

std::string Encode(const Exit& exit) {
  Fields f;
  f.AddInt("never_started", exit.never_started ? 1 : 0);
  f.Add("reason", exit.reason);
  AddOptional(&f, "code", exit.code);
  AddOptional(&f, "signal", exit.signal);
  f.AddInt("metered_ms", exit.metered_ms);
  f.AddInt("overrun_ms", exit.overrun_ms);
  f.AddInt("survivors", exit.survivors ? 1 : 0);
  f.Add("message", exit.message);
  f.AddInt("at_us", exit.at_us);
  f.AddInt("log_bytes", exit.log_bytes);
  f.AddInt("peak_memory", exit.peak_memory);
  return f.Encode("exit");
}

StatusOr<Claim> DecodeClaim(std::string_view bytes) {
  StatusOr<Fields> f = Fields::Decode("launched", bytes);
  if (!f.ok()) return f.status();
  return Claim{.pid = f->GetInt("pid", 0),
               .start_ticks = f->GetInt("start_ticks", 0),
               .boot_id = f->Get("boot_id"),
               .cgroups = f->All("cgroup")};
}

StatusOr<Started> DecodeStarted(std::string_view bytes) {
  StatusOr<Fields> f = Fields::Decode("started", bytes);
  if (!f.ok()) return f.status();
  return Started{.at_us = f->GetInt("at_us", 0)};
}

StatusOr<Meter> DecodeMeter(std::string_view bytes) {
  StatusOr<Fields> f = Fields::Decode("meter", bytes);
  if (!f.ok()) return f.status();
  return Meter{.metered_ms = f->GetInt("metered_ms", 0),
               .peak_memory = f->GetInt("peak_memory", 0)};
}

StatusOr<CardPeak> DecodeCardPeak(std::string_view bytes) {
  StatusOr<Fields> f = Fields::Decode("card", bytes);
  if (!f.ok()) return f.status();
  return CardPeak{.bytes = f->GetInt("bytes", 0)};
}

StatusOr<MainEnd> DecodeMainEnd(std::string_view bytes) {
  StatusOr<Fields> f = Fields::Decode("main", bytes);
  if (!f.ok()) return f.status();
  return MainEnd{.code = GetOptional(*f, "code"),
                 .signal = GetOptional(*f, "signal"),
                 .metered_ms = f->GetInt("metered_ms", 0)};
}

StatusOr<Stop> DecodeStop(std::string_view bytes) {
  StatusOr<Fields> f = Fields::Decode("stop", bytes);
  if (!f.ok()) return f.status();
  return Stop{.reason = f->Get("reason"),
              .grace_ms = f->GetInt("grace_ms", 0),
              .lead_ms = f->GetInt("lead_ms", 0),
              .asked_ms = f->GetInt("asked_ms", 0)};
}

StatusOr<Exit> DecodeExit(std::string_view bytes) {
  StatusOr<Fields> f = Fields::Decode("exit", bytes);
  if (!f.ok()) return f.status();
  return Exit{.never_started = f->GetInt("never_started", 0) != 0,
              .reason = f->Get("reason"),
              .code = GetOptional(*f, "code"),
              .signal = GetOptional(*f, "signal"),
              .metered_ms = f->GetInt("metered_ms", 0),
              .overrun_ms = f->GetInt("overrun_ms", 0),
              .survivors = f->GetInt("survivors", 0) != 0,
              .message = f->Get("message"),
              .at_us = f->GetInt("at_us", 0),
              .log_bytes = f->GetInt("log_bytes", 0),
              .peak_memory = f->GetInt("peak_memory", 0)};
}

}  // namespace pinka
