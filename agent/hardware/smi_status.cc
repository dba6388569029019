#include "agent/hardware/smi_status.h"

#include <algorithm>
#include <iterator>

namespace pinka::hardware {
namespace {

struct Row {
  int status;
  StatusMeaning meaning;
  const char* text;
};
using enum StatusMeaning;
constexpr Row kRows[] = {
    {0, kGood, ""},
    {2, kBadQuery, "it does not know what it was asked"},
    {3, kBadQuery, "the card does not support what it was asked"},
    {4, kFailure, "no permission to use the device files"},
    {6, kFailure, "no card was found"},
    {8, kFailure, "a power cable is missing"},
    {9, kFailure, "the driver is not loaded"},
    {10, kFailure, "the driver did not answer in time"},
    {11, kFailure, "the driver has an interrupt problem"},
    {12, kFailure, "the driver's library is missing"},
    {13, kFailure, "the driver's library is too old for this program"},
    {14, kWarning, "a card's own record (infoROM) is corrupted"},
    {15, kFailure, "a card has fallen off the bus"},
    {16, kFailure, "a card must be reset"},
    {17, kFailure, "the operating system has blocked a card"},
    {18, kFailure, "the driver was replaced under the running one: reboot"},
    {28, kFailure, "no card was found"},
    {126, kFailure, "the program cannot be run"},
    {127, kFailure, "there is no such program"},
    {255, kFailure, "the driver gave no reason"},
};

const Row* Find(int status) {
  const Row* row = std::ranges::find(kRows, status, &Row::status);
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

StatusMeaning MeaningOf(int status) {
  const Row* row = Find(status);
  return row == nullptr ? kFailure : row->meaning;
}

const char* StatusText(int status) {
  const Row* row = Find(status);
  return row == nullptr ? "" : row->text;
}

}  // namespace pinka::hardware
