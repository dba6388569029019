// A file system of its own size, for tests of full disks. Needs the right to mount.
#pragma once

#include <sys/mount.h>
#include <sys/stat.h>

#include <string>
#include <utility>

namespace pinka::test {

// Gone with the object. `options`: of a tmpfs, as "size=10m".
class SmallDisk {
 public:
  SmallDisk(std::string place, const char* options) : place_(std::move(place)) {
    mkdir(place_.c_str(), 0700);
    mounted_ = mount("tmpfs", place_.c_str(), "tmpfs", 0, options) == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(place_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  std::string place_;
  bool mounted_ = false;
};

}  // namespace pinka::test
