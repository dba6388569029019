// `pinkad up`: everything on one machine. This process keeps its rights: it owns the data
// directory, PostgreSQL and the local agents; a child drops to the scheduler's user and serves.
// The two talk over one pipe, a line a wish ("ready ADDRESS", "agent …").
#pragma once

#include <string>

#include "base/status.h"

namespace pinka {

struct UpOptions {
  std::string data;              // "": the default
  int port = 7070;               // 0: a free one
  std::string listen;            // HOST:PORT with TLS, for other machines; "": none
  std::string certificate, key;  // files; "": DATA/tls/server.pem, server-key.pem
  int page_port = 7071;          // of the web page; 0: a free one, below: none
  int agents = 64;               // at most so many local agents
  std::string programs;          // where pinka-agent lies: beside this program
};

// Blocks until SIGTERM or SIGINT, then stops everything. AlreadyExists where the directory is
// served.
Status Up(const UpOptions& options);

}  // namespace pinka
