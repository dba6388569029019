// What an answer of nvidia-smi says, whatever its shape: facts as told, nothing judged yet. A field
// that says N/A, [Unknown Error] or nothing is not told; none of them is a zero.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pinka::hardware {

struct GpuReading {
  int index = 0;                  // as nvidia-smi counts, by PCI bus; a label, never an identity
  std::string uuid;               // "": not told, as all texts
  std::string name;               // "NVIDIA A100-SXM4-80GB"; a table cuts it: "Tesla V100-SXM2..."
  std::string bus_id;             // "00000000:07:00.0"
  std::string virtualization;     // "None", "Pass-Through", "VGPU"
  int64_t memory_mib = 0;         // 0: not told, as all numbers
  bool memory_forbidden = false;  // [Insufficient Permissions]: this box was given a part of it
  bool mig = false;               // split, or ready to be
  int slices = 0;                 // MIG devices listed under it
  int64_t power_limit_mw = 0;
  int64_t default_power_limit_mw = 0;
  int link_gen = 0, link_gen_max = 0;      // PCIe; lower when idle, to save power
  int link_width = 0, link_width_max = 0;  // lanes
  std::vector<std::string> slowed_by;      // active reasons that hold its clocks down
  std::vector<std::string> remarks;        // worth telling, and no reason to refuse it
  std::string fault;                       // why it cannot be used: "GPU is lost"
};

// In the order of what they prove: versions and lists prove nothing, a table cuts names.
enum class Shape { kNone, kVersion, kList, kTable, kDetail, kCsv, kXml };
const char* Name(Shape shape);
// Only these can make a card OK.
inline bool Proves(Shape shape) { return shape >= Shape::kDetail; }

struct Answer {
  Shape shape = Shape::kNone;
  std::vector<GpuReading> gpus;
  int attached = 0;  // as the answer counts them itself; 0: it does not
  std::string driver;
  std::string cuda;                   // the newest that the driver serves, not what is installed
  std::vector<std::string> troubles;  // lines that are no data: warnings and failures
};

}  // namespace pinka::hardware
