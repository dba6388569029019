#include "scheduler/api/convert_sweep.h"

#include <algorithm>
#include <string>

namespace pinka::api {

StatusOr<std::vector<SweepKey>> ConvertSweep(const v1::JobSpec& spec, int32_t most) {
  std::vector<SweepKey> keys;
  if (spec.sweep().empty()) return keys;
  if (!spec.array().empty())
    return Invalid("a job has an array or a sweep, not both; the sweep counts its own tasks");
  for (const std::string& text : spec.sweep()) {
    StatusOr<SweepKey> key = ParseSweep(text, most);
    if (!key.ok()) return key.status();
    keys.push_back(*std::move(key));
  }
  if (const auto count = CountSweep(keys, most); !count.ok()) return count.status();
  return keys;
}

v1::JobSpec LongestOf(const v1::JobSpec& spec, const std::vector<SweepKey>& keys) {
  v1::JobSpec longest = spec;
  std::vector<std::string> values;
  for (const SweepKey& key : keys) {
    values.push_back(*std::ranges::max_element(key.values, {}, &std::string::size));
    v1::EnvVar* var = longest.add_env();
    var->set_name(SweepVariable(key.key));
    var->set_value(values.back());
  }
  for (std::string& argument : *longest.mutable_argv())
    argument = FillSweep(argument, keys, values);
  return longest;
}

void PackSweep(const std::vector<SweepKey>& keys, v1::Payload* out) {
  for (const SweepKey& key : keys) {
    v1::Payload::SweepKey* packed = out->add_sweep();
    packed->set_key(key.key);
    for (const std::string& value : key.values) packed->add_values(value);
  }
}

std::vector<SweepKey> SweepOf(const v1::Payload& payload) {
  std::vector<SweepKey> keys;
  for (const v1::Payload::SweepKey& key : payload.sweep())
    keys.push_back({key.key(), {key.values().begin(), key.values().end()}});
  return keys;
}

}  // namespace pinka::api
