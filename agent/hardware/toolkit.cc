#include "agent/hardware/toolkit.h"

#include <algorithm>

#include "agent/hardware/lines.h"
#include "fmt/format.h"

namespace pinka::hardware {
namespace {

// The version that begins at the first digit behind `label`.
std::string VersionAfter(std::string_view text, std::string_view label) {
  const size_t at = text.find(label);
  if (at == std::string_view::npos) return "";
  std::string_view rest = text.substr(at + label.size());
  rest.remove_prefix(std::min(rest.find_first_of("0123456789\n"), rest.size()));
  std::string_view version =
      rest.substr(0, std::min(rest.find_first_not_of("0123456789."), rest.size()));
  while (version.ends_with('.')) version.remove_suffix(1);
  return IsVersion(version) ? std::string(version) : "";
}

}  // namespace

std::string NvccVersion(std::string_view nvcc_output) {
  return VersionAfter(nvcc_output, "release ");
}

std::string CudaFileVersion(std::string_view file) {
  if (std::string version = VersionAfter(file, "CUDA Version "); !version.empty()) return version;
  const size_t cuda = file.find("\"cuda\"");  // {"cuda": {"name": …, "version": "12.4.1"}, …}
  if (cuda == std::string_view::npos) return "";
  return VersionAfter(file.substr(cuda), "\"version\"");
}

std::string CudnnVersion(std::string_view header) {
  const std::string major = VersionAfter(header, "#define CUDNN_MAJOR ");
  const std::string minor = VersionAfter(header, "#define CUDNN_MINOR ");
  const std::string patch = VersionAfter(header, "#define CUDNN_PATCHLEVEL ");
  const bool whole = !major.empty() && !minor.empty() && !patch.empty();
  return whole ? fmt::format("{}.{}.{}", major, minor, patch) : "";
}

}  // namespace pinka::hardware
