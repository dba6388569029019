// Temporary directories and waiting for files: by events, never by sleeping.
#pragma once

#include <functional>
#include <string>

namespace pinka::test {

// A directory of its own below /tmp that any account can walk through; removed at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }
  // A directory inside that every account may write.
  std::string Shared(const std::string& name) const;

 private:
  std::string path_;
};

// The built program of this name, beside the test.
std::string Program(const std::string& name);

std::string Slurp(const std::string& path);  // "" where there is none
void Spill(const std::string& path, const std::string& bytes);

// True once `holds` does; it is asked again at each change in `directory`. False after `seconds`.
bool WaitForChange(const std::string& directory, const std::function<bool()>& holds,
                   int seconds = 30);
bool WaitForFile(const std::string& path, int seconds = 30);
// True once the process has ended.
bool WaitForEnd(int pid, int seconds = 30);

}  // namespace pinka::test
