#include "db/reads_hardware.h"

#include "db/columns_hardware.h"

namespace pinka::db {

StatusOr<std::optional<HardwareRow>> HardwareOf(ReadPool& pool, const std::string& node) {
  Params params;
  params.Text(node);
  StatusOr<std::vector<HardwareRow>> rows = pool.Rows<HardwareRow>("hardware_of", params);
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  return rows->front();
}

StatusOr<std::vector<HardwareCheckRow>> HardwareChecksOf(ReadPool& pool, const std::string& node,
                                                         int64_t most) {
  Params params;
  params.Text(node).Int(most);
  return pool.Rows<HardwareCheckRow>("hardware_checks_of", params);
}

}  // namespace pinka::db
