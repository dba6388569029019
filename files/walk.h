// Directories in the order of a tree.
#pragma once

#include <string>

#include "base/status.h"
#include "files/pack.h"

namespace pinka {

// All that is below `path`, which is not followed where it is a link itself, and nothing that a
// link below it leads to: who may change the directory meanwhile cannot make us read elsewhere.
// Memory: the names of the directories on the way.
Status PackDirectory(const std::string& path, Packer* packer);
// Whether there is nothing in it (or no such directory).
bool IsEmptyDirectory(const std::string& path);

}  // namespace pinka
