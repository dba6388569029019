// Small words for reading text line by line. Views into what was given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pinka::hardware {

std::string_view Trim(std::string_view text);
std::vector<std::string_view> Lines(std::string_view text);                  // without line ends
std::vector<std::string_view> Split(std::string_view text, char separator);  // trimmed
bool ContainsIgnoringCase(std::string_view text, std::string_view part);
// The number that `text` begins with: 81920 of "81920 MiB". 0 where there is none, or too great a
// one.
int64_t LeadingNumber(std::string_view text);
// In thousandths: 150000 of "150.00 W".
int64_t LeadingMilli(std::string_view text);
// "00000000:07:00.0", "0000:0B:00.0".
bool IsBusId(std::string_view text);
// The first bus id in `text`; "" where there is none.
std::string_view FindBusId(std::string_view text);
// Whether both name one place: domains are written with four digits and with eight.
bool SameBus(std::string_view a, std::string_view b);
// "GPU-" and 36 hexadecimal digits and dashes.
bool IsGpuUuid(std::string_view text);
// Digits and dots, beginning with a digit: "535.129.03".
bool IsVersion(std::string_view text);

}  // namespace pinka::hardware
