#include <gtest/gtest.h>

#include "agent/hardware/lines.h"
#include "agent/hardware/parse_answer.h"
#include "agent/hardware/slice.h"

namespace pinka::hardware {
namespace {

constexpr char kUuid[] = "GPU-0a1b2c3d-1111-2222-3333-444455556666";

constexpr char kTable[] =
    "+-----------------------------------------------------------------------------+\n"
    "| NVIDIA-SMI 525.105.17   Driver Version: 525.105.17   CUDA Version: 12.0     |\n"
    "|-------------------------------+----------------------+----------------------+\n"
    "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
    "|===============================+======================+======================|\n"
    "|   0  Tesla V100-SXM2...  On   | 00000000:00:09.0 Off |                    0 |\n"
    "| N/A   38C    P0    38W / 300W |    308MiB / 32768MiB |      0%      Default |\n"
    "|                               |                      |              Enabled |\n"
    "+-------------------------------+----------------------+----------------------+\n"
    "| Processes:                                                                  |\n"
    "|    0   N/A  N/A      1720      G   /usr/bin/desktop                   173MiB |\n";

TEST(Parse, ReadsATable) {
  const Answer answer = ParseAnswer(kTable);
  EXPECT_EQ(answer.shape, Shape::kTable);
  EXPECT_EQ(answer.driver, "525.105.17");
  EXPECT_EQ(answer.cuda, "12.0");
  ASSERT_EQ(answer.gpus.size(), 1);
  EXPECT_EQ(answer.gpus[0].name, "Tesla V100-SXM2...");
  EXPECT_EQ(answer.gpus[0].bus_id, "00000000:00:09.0");
  EXPECT_EQ(answer.gpus[0].memory_mib, 32768);
  EXPECT_EQ(answer.gpus[0].power_limit_mw, 300'000);
  EXPECT_TRUE(answer.gpus[0].mig);
}

TEST(Parse, ReadsTheHeaderOfDriver610) {
  const Answer answer = ParseAnswer(
      "| NVIDIA-SMI 610.57.04              KMD Version: 610.57.04     CUDA UMD Version: 13.3     "
      "|\n");
  EXPECT_EQ(answer.shape, Shape::kVersion);
  EXPECT_EQ(answer.driver, "610.57.04");
  EXPECT_EQ(answer.cuda, "13.3");
  const Answer version = ParseAnswer(
      "NVML version        : 610.57\n"
      "DRIVER version      : Deprecated, see \"KMD version\" instead\n"
      "KMD version         : 610.57.04\nCUDA UMD version    : 13.3\n");
  EXPECT_EQ(version.driver, "610.57.04");
  EXPECT_EQ(version.cuda, "13.3");
}

TEST(Parse, ReadsCsvByItsHeader) {
  const Answer answer = ParseAnswer(
      std::string("name, index, uuid, memory.total [MiB], memory.used [MiB], driver_version, "
                  "pcie.link.width.current, power.limit [W]\n"
                  "NVIDIA L4, 3, ") +
      kUuid + ", 23034 MiB, 12 MiB, 595.80, 8, 72.50 W\n");
  EXPECT_EQ(answer.shape, Shape::kCsv);
  EXPECT_EQ(answer.driver, "595.80");
  ASSERT_EQ(answer.gpus.size(), 1);
  EXPECT_EQ(answer.gpus[0].index, 3);
  EXPECT_EQ(answer.gpus[0].uuid, kUuid);
  EXPECT_EQ(answer.gpus[0].name, "NVIDIA L4");
  EXPECT_EQ(answer.gpus[0].memory_mib, 23034);
  EXPECT_EQ(answer.gpus[0].link_width, 8);
  EXPECT_EQ(answer.gpus[0].power_limit_mw, 72'500);
}

TEST(Parse, TakesFieldsWithoutHeaderForWhatTheyAre) {
  const Answer answer = ParseAnswer(
      "0, NVIDIA GeForce RTX 3090, 00000000:1D:00.0, 2 MiB\n"
      "1, NVIDIA GeForce RTX 3090, 00000000:1E:00.0, [GPU is lost]\n");
  EXPECT_EQ(answer.shape, Shape::kCsv);
  ASSERT_EQ(answer.gpus.size(), 2);
  EXPECT_EQ(answer.gpus[0].memory_mib, 0) << "2 MiB may be anything";
  EXPECT_EQ(answer.gpus[0].fault, "");
  EXPECT_EQ(answer.gpus[1].fault, "GPU is lost");
}

TEST(Parse, TakesNoSentenceForACard) {
  for (const char* text :
       {"", "\n\n",
        "NVIDIA-SMI has failed because it couldn't communicate with the driver, sorry\n", "0\n",
        "No devices were found\n", "GPU 0: half a li", "/bin/sh: nvidia-smi: not found\n",
        "bash: nvidia-smi：未找到命令\n", "index, name, uuid\n",
        "index, name, uuid\n0, NVIDIA L4\n",
        "<nvidia_smi_log><gpu id=\"00000000:01:00.0\"><product_name>NVIDIA L4</product_name>",
        "Field \"compute_cap\" is not a valid field to query.\n"}) {
    EXPECT_TRUE(ParseAnswer(text).gpus.empty()) << text;
  }
}

TEST(Parse, LeavesUntoldWhatAFieldDoesNotTell) {
  for (const char* nothing : {"N/A", "[N/A]", "[Not Supported]", "Not Supported", "[Unknown Error]",
                              "ERR!", "[Requested functionality has been deprecated]", ""}) {
    const Answer answer = ParseAnswer(std::string("name, memory.total [MiB], power.limit [W]\n") +
                                      "NVIDIA L4, " + nothing + ", " + nothing + "\n");
    ASSERT_EQ(answer.gpus.size(), 1) << nothing;
    EXPECT_EQ(answer.gpus[0].memory_mib, 0) << nothing;
    EXPECT_EQ(answer.gpus[0].fault, "") << nothing;
    EXPECT_FALSE(answer.gpus[0].memory_forbidden) << nothing;
  }
  const Answer forbidden =
      ParseAnswer("name, memory.total [MiB]\nNVIDIA L4, [Insufficient Permissions]\n");
  EXPECT_TRUE(forbidden.gpus.at(0).memory_forbidden);
}

TEST(Parse, ReadsDetailsBySection) {
  const Answer answer = ParseAnswer(
      "==============NVSMI LOG==============\n\n"
      "Driver Version                            : 535.129.03\n"
      "CUDA Version                              : 12.2\n\n"
      "Attached GPUs                             : 1\n"
      "GPU 00000000:07:00.0\n"
      "    Product Name                          : NVIDIA A10\n"
      "    MIG Mode\n"
      "        Current                           : Disabled\n"
      "        Pending                           : Enabled\n"
      "    GPU UUID                              : GPU-0a1b2c3d-1111-2222-3333-444455556666\n"
      "    Clocks Event Reasons\n"
      "        HW Slowdown                       : Not Active\n"
      "            HW Thermal Slowdown           : Active\n"
      "    FB Memory Usage\n"
      "        Total                             : 23028 MiB\n"
      "    BAR1 Memory Usage\n"
      "        Total                             : 32768 MiB\n");
  EXPECT_EQ(answer.shape, Shape::kDetail);
  EXPECT_EQ(answer.driver, "535.129.03");
  EXPECT_EQ(answer.attached, 1);
  ASSERT_EQ(answer.gpus.size(), 1);
  EXPECT_EQ(answer.gpus[0].uuid, kUuid);
  EXPECT_EQ(answer.gpus[0].memory_mib, 23028);
  EXPECT_FALSE(answer.gpus[0].mig);
  EXPECT_EQ(answer.gpus[0].slowed_by, std::vector<std::string>{"HW Thermal Slowdown"});
}

TEST(Parse, ReadsXmlOfOldAndNewDrivers) {
  const Answer answer = ParseAnswer(
      "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v11.dtd\">\n"
      "<nvidia_smi_log><driver_version>515.105.01</driver_version>"
      "<cuda_version>Not Found</cuda_version><attached_gpus>1</attached_gpus>"
      "<gpu id=\"00000000:00:1E.0\"><product_name>NVIDIA A10G</product_name>"
      "<mig_devices><mig_device/><mig_device/></mig_devices>"
      "<power_readings><power_limit>300.00 W</power_limit></power_readings>"
      "<fb_memory_usage><total>23028 MiB</total></fb_memory_usage></gpu></nvidia_smi_log>\n"
      "WARNING: infoROM is corrupted at gpu 0000:0B:00.0\n");
  EXPECT_EQ(answer.shape, Shape::kXml);
  EXPECT_EQ(answer.cuda, "");
  ASSERT_EQ(answer.gpus.size(), 1);
  EXPECT_EQ(answer.gpus[0].bus_id, "00000000:00:1E.0");
  EXPECT_EQ(answer.gpus[0].slices, 2);
  EXPECT_EQ(answer.gpus[0].power_limit_mw, 300'000);
  ASSERT_EQ(answer.troubles.size(), 1);
  EXPECT_EQ(answer.troubles[0], "WARNING: infoROM is corrupted at gpu 0000:0B:00.0");
}

TEST(Parse, ListsSlicesUnderTheirCard) {
  const Answer answer = ParseAnswer(
      "GPU 0: NVIDIA H20 (UUID: GPU-0a1b2c3d-1111-2222-3333-444455556666)\n"
      "  MIG 3g.48gb     Device  0: (UUID: MIG-ee8389a2-a215-5f37-91ef-8dbcf6d7a1bd)\n"
      "  MIG 1c.3g.71gb  Device  1: (UUID: MIG-2baaa7ef-985f-5639-b822-8b46f1fcbcc1)\n"
      "GPU 1: NVIDIA H20 (UUID: GPU-0a1b2c3d-1111-2222-3333-444455557777)\n");
  EXPECT_EQ(answer.shape, Shape::kList);
  ASSERT_EQ(answer.gpus.size(), 2);
  EXPECT_EQ(answer.gpus[0].slices, 2);
  EXPECT_EQ(answer.gpus[1].slices, 0);
}

TEST(Parse, GivesACardTheFaultThatAMessageNames) {
  const Answer answer = ParseAnswer(
      "Unable to determine the device handle for GPU0: 0000:02:00.0: Unknown Error\n"
      "name, pci.bus_id\nNVIDIA L4, 00000000:02:00.0\nNVIDIA L4, 00000000:03:00.0\n");
  ASSERT_EQ(answer.gpus.size(), 2);
  EXPECT_NE(answer.gpus[0].fault, "");
  EXPECT_EQ(answer.gpus[1].fault, "");
}

TEST(Parse, KnowsNamesOfSlices) {
  const struct {
    const char* name;
    const char* board;
  } table[] = {{"GRID T4-4C", "T4"},
               {"GRID V100D-8C", "V100D"},
               {"NVIDIA A40-48Q", "A40"},
               {"NVIDIA H100L-2-24C", "H100L"},
               {"NVIDIA A10-24Q", "A10"},
               {"GRID A100X-20C", "A100X"},
               {"Tesla V100-PCIE-16GB", ""},
               {"NVIDIA A100-SXM4-40GB", ""},
               {"Tesla T4", ""},
               {"NVIDIA GeForce RTX 4090 D", ""},
               {"", ""},
               {"-4C", ""}};
  for (const auto& row : table) EXPECT_EQ(BoardOfSlice(row.name), row.board) << row.name;
}

TEST(Parse, FindsBusIdsInSentences) {
  EXPECT_EQ(FindBusId("for GPU 0000:02:00.0: GPU is lost. Reboot"), "0000:02:00.0");
  EXPECT_EQ(FindBusId("corrupted at gpu 0000:0B:00.0"), "0000:0B:00.0");
  EXPECT_EQ(FindBusId("nothing: 12:30:00 here"), "");
  EXPECT_TRUE(SameBus("0000:0b:00.0", "00000000:0B:00.0"));
  EXPECT_FALSE(SameBus("0000:0b:00.0", "0001:0B:00.0"));
}

}  // namespace
}  // namespace pinka::hardware
