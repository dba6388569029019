#include "agent/record/order.h"

#include "agent/record/fields.h"

namespace pinka {

std::string EncodeOrder(const Order& order) {
  Fields f;
  f.Add("lab_run", order.lab_run);
  f.Add("attempt", ToString(order.attempt));
  for (const auto& word : order.argv) f.Add("argv", word);
  f.Add("script", order.script);
  for (const auto& entry : order.env) f.Add("env", entry);
  f.Add("chdir", order.chdir);
  f.Add("home", order.home);
  f.Add("account", order.account);
  f.AddInt("restored", order.restored);
  f.Add("wake", order.wake);
  f.Add("heartbeat", order.heartbeat);
  for (const auto& uuid : order.gpu_uuids) f.Add("gpu", uuid);
  f.AddInt("time_limit_ms", order.time_limit_ms);
  f.AddInt("grace_ms", order.grace_ms);
  f.AddInt("fence_ms", order.fence_ms);
  f.AddInt("start_by_ms", order.start_by_ms);
  f.AddInt("log_limit_bytes", order.log_limit_bytes);
  for (const auto& device : order.hidden_devices) f.Add("hidden_device", device);
  f.AddInt("cpus", order.cpus);
  f.AddInt("memory_bytes", order.memory_bytes);
  f.Add("signal", order.signal);
  f.AddInt("checkpoint_every_ms", order.checkpoint_every_ms);
  f.Add("limit_reason", order.limit_reason);
  return f.Encode("order");
}

StatusOr<Order> DecodeOrder(std::string_view bytes) {
  StatusOr<Fields> fields = Fields::Decode("order", bytes);
  if (!fields.ok()) return fields.status();
  const Fields& f = *fields;
  Order order;
  if (!ParseAttemptId(f.Get("attempt"), &order.attempt)) {
    return Invalid("the order names no attempt");
  }
  order.lab_run = f.Get("lab_run");
  order.argv = f.All("argv");
  order.script = f.Get("script");
  order.env = f.All("env");
  order.chdir = f.Get("chdir");
  order.home = f.Get("home");
  order.account = f.Get("account");
  order.restored = f.GetInt("restored", -1);
  order.wake = f.Get("wake");
  order.heartbeat = f.Get("heartbeat");
  order.gpu_uuids = f.All("gpu");
  order.time_limit_ms = f.GetInt("time_limit_ms", 0);
  order.grace_ms = f.GetInt("grace_ms", order.grace_ms);
  order.fence_ms = f.GetInt("fence_ms", 0);
  order.start_by_ms = f.GetInt("start_by_ms", 0);
  order.log_limit_bytes = f.GetInt("log_limit_bytes", 0);
  order.hidden_devices = f.All("hidden_device");
  order.cpus = f.GetInt("cpus", 0);
  order.memory_bytes = f.GetInt("memory_bytes", 0);
  order.signal = f.Get("signal");
  order.checkpoint_every_ms = f.GetInt("checkpoint_every_ms", 0);
  order.limit_reason = f.Get("limit_reason");
  return order;
}

}  // namespace pinka
