// Programs that lie beside this one, such as pinka-simulate.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace pinka::cli {

// Where this program lies, followed by the other's name.
std::string Beside(const std::string& program);

// Runs it to its end and gives what it wrote to standard output. An exit other than 0, or a program
// that is not there, is an error that says so with the first line of its standard error.
StatusOr<std::string> RunBeside(const std::string& program, const std::vector<std::string>& words);

}  // namespace pinka::cli
