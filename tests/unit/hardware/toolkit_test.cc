#include "agent/hardware/toolkit.h"

#include <gtest/gtest.h>

namespace pinka::hardware {
namespace {

TEST(Toolkit, ReadsVersions) {
  EXPECT_EQ(NvccVersion("Cuda compilation tools, release 12.4, V12.4.131\n"), "12.4");
  EXPECT_EQ(NvccVersion("bash: nvcc: command not found\n"), "");
  EXPECT_EQ(CudaFileVersion("CUDA Version 10.2.89\n"), "10.2.89");
  EXPECT_EQ(CudaFileVersion(R"({"cuda" : {"name" : "CUDA SDK", "version" : "12.4.1"}})"), "12.4.1");
  EXPECT_EQ(CudaFileVersion(""), "");
  EXPECT_EQ(
      CudnnVersion("#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 9\n#define CUDNN_PATCHLEVEL 7\n"),
      "8.9.7");
  EXPECT_EQ(CudnnVersion("#define CUDNN_MAJOR 8\n"), "");
}

}  // namespace
}  // namespace pinka::hardware
