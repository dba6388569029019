// The scheduler in this process: database, core, API, until it is told to stop.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "scheduler/api/server.h"
#include "scheduler/daemon/local_agents.h"

namespace pinka {

// Where it can be reached; "": not there.
struct Served {
  std::string address;
  std::string tls;
  std::string page;
};

struct ServeOptions {
  std::string database_url;
  std::string listen = "127.0.0.1:7070";     // loopback or unix:PATH; port 0 takes a free one
  api::TlsListen tls;                        // for everybody off this machine
  std::string page_listen;                   // HOST:PORT of the web page; "": none
  std::string page_assets;                   // directory of the built page
  std::string logs;                          // directory of job logs
  Duration keep_logs = Duration::Days(90);   // after their last byte; zero: for ever
  std::string blobs;                         // directory of the blob store
  std::string blobs_remote;                  // where rclone keeps them instead; "": the directory
  int64_t files_quota = int64_t{100} << 30;  // bytes of files that a member may keep
  std::string first_admin = "admin";
  std::string first_token;  // used where the lab is founded now
  Duration lead_patience = Duration::Seconds(10);

  // `pinkad up` only.
  bool local = false;
  std::string tokens;  // where agents' tokens are kept
  std::function<void(const Served&)> on_ready;
  std::function<void(const LocalAgent&)> want_agent;  // a tier that this box should serve
  int max_agents = 64;
  std::string agent_program;
  std::string agent_state;   // DIR/agents
  std::string agent_shared;  // DIR/shared
};

// For the ready line.
std::string Places(const Served& at);

// Where the built page lies beside the programs, as the build and an installation have it.
inline std::string PageAssets(const std::string& programs) {
  return programs + "/../share/pinka/page";
}

// Blocks. SIGTERM and SIGINT end it: with `local` after the nodes are evacuated. The signals must
// be blocked in the calling thread before any other thread exists.
Status Serve(const ServeOptions& options);

}  // namespace pinka
