// Values that other users of this machine must not read from the process list.
#pragma once

namespace pinka::cli {

// Overwrites the values of --env and --token in the process's own arguments, which `ps` shows. To
// be called as soon as they are copied.
void HideSecretArguments(int argc, char** argv);

}  // namespace pinka::cli
