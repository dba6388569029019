#include "tests/support/agent/metadata_server.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "base/file.h"

namespace pinka::test {

MetadataServer::MetadataServer(const std::string& service) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  Fd said(ends[0]);
  Fd out(ends[1]);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, out.get(), 1);
  std::string file = NoticeFile();
  std::string name = service;
  std::array<char*, 6> argv = {const_cast<char*>("python3"),
                               const_cast<char*>(PINKA_METADATA_SERVER),
                               name.data(),
                               const_cast<char*>("--notice-file"),
                               file.data(),
                               nullptr};
  if (posix_spawnp(&pid_, "python3", &files, nullptr, argv.data(), environ) != 0) pid_ = 0;
  posix_spawn_file_actions_destroy(&files);
  out = Fd();
  std::string line;
  char c = 0;
  while (read(said.get(), &c, 1) == 1 && c != '\n') line += c;
  port_ = line.substr(line.find(' ') + 1);
}

MetadataServer::~MetadataServer() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void MetadataServer::Say(const std::string& what) const {
  const std::string next = NoticeFile() + ".next";
  Spill(next, what);
  rename(next.c_str(), NoticeFile().c_str());
}

void MetadataServer::TakeBack() const { unlink(NoticeFile().c_str()); }

}  // namespace pinka::test
