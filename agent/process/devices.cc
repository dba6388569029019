#include "agent/process/devices.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>

namespace pinka {
namespace {

constexpr std::string_view kLicense = "Apache-2.0";

bpf_insn Instruction(uint8_t code, uint8_t to, uint8_t from, int16_t offset, uint32_t value) {
  bpf_insn made{};
  made.code = code;
  made.dst_reg = to & 0xf;
  made.src_reg = from & 0xf;
  made.off = offset;
  made.imm = static_cast<int32_t>(value);
  return made;
}
bpf_insn Load(uint8_t to, int16_t offset) {  // of the context's 32-bit words
  return Instruction(BPF_LDX | BPF_MEM | BPF_W, to, 1, offset, 0);
}
bpf_insn Operate(uint8_t code, uint8_t reg, int16_t jump, uint32_t value) {
  return Instruction(code, reg, 0, jump, value);
}
bpf_insn Answer(uint32_t value) { return Operate(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, value); }
bpf_insn Leave() { return Operate(BPF_JMP | BPF_EXIT, 0, 0, 0); }

// 0 for these character devices, 1 for everything else.
std::vector<bpf_insn> Program(const std::vector<DeviceNumber>& devices) {
  constexpr uint8_t kType = 2, kMajor = 3, kMinor = 4;  // registers
  constexpr uint8_t kIfNot = BPF_JMP | BPF_JNE | BPF_K;
  std::vector<bpf_insn> code = {Load(kType, 0),
                                Load(kMajor, 4),
                                Load(kMinor, 8),
                                Operate(BPF_ALU64 | BPF_AND | BPF_K, kType, 0, 0xffff),
                                Operate(BPF_JMP | BPF_JEQ | BPF_K, kType, 2, BPF_DEVCG_DEV_CHAR),
                                Answer(1),
                                Leave()};
  for (const DeviceNumber& device : devices) {
    code.push_back(Operate(kIfNot, kMajor, 3, device.major));
    code.push_back(Operate(kIfNot, kMinor, 2, device.minor));
    code.push_back(Answer(0));
    code.push_back(Leave());
  }
  code.push_back(Answer(1));
  code.push_back(Leave());
  return code;
}

int Bpf(bpf_cmd command, bpf_attr* attributes) {
  return static_cast<int>(syscall(SYS_bpf, command, attributes, sizeof *attributes));
}

bool Attach(const std::string& group, const std::vector<DeviceNumber>& devices) {
  std::vector<bpf_insn> code = Program(devices);
  bpf_attr load;
  std::memset(&load, 0, sizeof load);
  load.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
  load.insns = reinterpret_cast<uint64_t>(code.data());
  load.insn_cnt = static_cast<uint32_t>(code.size());
  load.license = reinterpret_cast<uint64_t>(kLicense.data());
  Fd program(Bpf(BPF_PROG_LOAD, &load));
  Fd directory(open(group.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!program.valid() || !directory.valid()) return false;
  bpf_attr attach;
  std::memset(&attach, 0, sizeof attach);
  attach.target_fd = static_cast<uint32_t>(directory.get());
  attach.attach_bpf_fd = static_cast<uint32_t>(program.get());
  attach.attach_type = BPF_CGROUP_DEVICE;
  attach.attach_flags = BPF_F_ALLOW_MULTI;  // beside those of the groups above
  return Bpf(BPF_PROG_ATTACH, &attach) == 0;
}

// Rules are written one by one: a file that took all of them, or none that counts.
bool Deny(const std::string& file, const std::vector<DeviceNumber>& devices) {
  for (const DeviceNumber& device : devices) {
    Fd fd(open(file.c_str(), O_WRONLY | O_CLOEXEC));
    std::string rule = fmt::format("c {} rwm", ToString(device));
    if (!fd.valid() || write(fd.get(), rule.data(), rule.size()) < 0) return false;
  }
  return true;
}

}  // namespace

std::string ToString(const DeviceNumber& device) {
  return fmt::format("{}:{}", device.major, device.minor);
}

bool ParseDeviceNumber(const std::string& text, DeviceNumber* out) {
  const char* end = text.data() + text.size();
  auto major = std::from_chars(text.data(), end, out->major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != ':') return false;
  auto minor = std::from_chars(major.ptr + 1, end, out->minor);
  return minor.ec == std::errc() && minor.ptr == end;
}

bool HideDevices(const Cgroup& group, const std::vector<DeviceNumber>& devices) {
  if (devices.empty()) return true;
  for (const std::string& path : group.paths()) {
    bool v1 = PathExists(path + "/devices.deny");
    bool v2 = PathExists(path + "/cgroup.controllers");
    if (v1 && Deny(path + "/devices.deny", devices)) return true;
    if (v2 && Attach(path, devices)) return true;
  }
  return false;
}

}  // namespace pinka
