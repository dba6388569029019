// `pinka-agent check`: judges a box without any server, before anyone pays for it. The guide's
// section 5.2 as one command.
#pragma once

namespace pinka::inspect {

// argv[0] is the word "check". Prints; returns the exit code: 0 only for OK, 1 for another verdict,
// 2 for options that make no sense.
int CheckCommand(int argc, char** argv);

}  // namespace pinka::inspect
