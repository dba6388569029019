// Standard output, buffered and exact: bytes go out as they are, short writes are finished, and a
// reader that has gone away ends the program quietly. Not thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace pinka::cli {

class Out {
 public:
  explicit Out(int fd) : fd_(fd) {}
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  ~Out() { Flush(); }

  void Write(std::string_view bytes);
  void Line(std::string_view text);
  void Flush();

 private:
  int fd_;
  std::string buffer_;
};

}  // namespace pinka::cli
