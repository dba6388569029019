// Bars in columns of text. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace pinka::cli {

// `part` of `whole` as `columns` columns, "███░░"; something never looks like nothing, and less
// than all never like all. An empty whole is an empty bar.
std::string Bar(int64_t part, int64_t whole, int columns);

}  // namespace pinka::cli
