#include "catalogue/version.h"

#include <iterator>

#include "base/parse.h"
#include "fmt/format.h"

namespace pinka {

StatusOr<Version> ParseVersion(std::string_view text) {
  Version v;
  int* parts[] = {&v.major, &v.minor, &v.patch};
  size_t n = 0;
  std::string_view rest = text;
  for (;;) {
    const size_t dot = rest.find('.');
    const auto number = ParseInt(rest.substr(0, dot), 0, 9'999, "a version");
    if (!number.ok() || n == std::size(parts))
      return Invalid(fmt::format("'{}' is no version; write it like 12.4 or 550.54.15", text));
    *parts[n++] = static_cast<int>(*number);
    if (dot == std::string_view::npos) return v;
    rest.remove_prefix(dot + 1);
  }
}

std::string Print(const Version& v) {
  return v.patch > 0 ? fmt::format("{}.{:02}.{:02}", v.major, v.minor, v.patch)
                     : fmt::format("{}.{:02}", v.major, v.minor);
}

int32_t CudaNumber(const Version& v) { return v.major * 1'000 + v.minor * 10; }

}  // namespace pinka
