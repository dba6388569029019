#include "client/cli/core/out.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace pinka::cli {
namespace {

constexpr size_t kBufferBytes = 64 * 1024;

}  // namespace

void Out::Write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= kBufferBytes) Flush();
}

void Out::Line(std::string_view text) {
  Write(text);
  Write("\n");
}

void Out::Flush() {
  size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t n = write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (n > 0) {
      done += static_cast<size_t>(n);
    } else if (errno != EINTR && errno != EAGAIN) {
      if (errno != EPIPE) perror("pinka: cannot write the output");
      _exit(1);
    }
  }
  buffer_.clear();
}

}  // namespace pinka::cli
