// A provider's metadata service as a process of its own: tests/support/metadata.py.
#pragma once

#include <sys/types.h>

#include <string>

#include "tests/support/agent/files.h"

namespace pinka::test {

class MetadataServer {
 public:
  explicit MetadataServer(const std::string& service);
  ~MetadataServer();
  MetadataServer(const MetadataServer&) = delete;
  MetadataServer& operator=(const MetadataServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + port_; }  // "http://127.0.0.1:": it died
  // Seconds left, or a word of metadata.py's.
  void Say(const std::string& what) const;
  void TakeBack() const;  // no notice any more

 private:
  std::string NoticeFile() const { return temp_.path() + "/notice"; }

  TempDir temp_;
  pid_t pid_ = 0;
  std::string port_;
};

}  // namespace pinka::test
