// Versions of what is installed beside the driver, from what nvcc prints and from files.
#pragma once

#include <string>
#include <string_view>

namespace pinka::hardware {

std::string NvccVersion(std::string_view nvcc_output);  // "12.4"; "" where it tells none
std::string CudaFileVersion(std::string_view file);     // version.txt or version.json: "12.4.1"
std::string CudnnVersion(std::string_view header);      // cudnn_version.h: "8.9.7"

}  // namespace pinka::hardware
