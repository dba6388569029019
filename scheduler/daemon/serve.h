// The scheduler in this process: database, core, API, until it is told to stop.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "scheduler/daemon/local_agents.h"

namespace pinka {

struct ServeOptions {
  std::string database_url;
  std::string listen = "127.0.0.1:7070";  // loopback or unix:PATH; port 0 takes a free one
  std::string page_listen;                // HOST:PORT of the web page; "": none
  std::string page_assets;                // directory of the built page
  std::string logs;                       // directory of job logs
  std::string first_admin = "admin";
  std::string first_token;  // used where the lab is founded now
  Duration lead_patience = Duration::Seconds(10);

  // `pinkad up` only.
  bool local = false;
  std::string tokens;  // where agents' tokens are kept
  // `page` is where the page is, empty where there is none.
  std::function<void(const std::string& address, const std::string& page)> on_ready;
  std::function<void(const LocalAgent&)> want_agent;  // a tier that this box should serve
  int max_agents = 64;
  std::string agent_program;
  std::string agent_state;  // DIR/agents
};

// Where the built page lies beside the programs, as the build and an installation have it.
inline std::string PageAssets(const std::string& programs) {
  return programs + "/../share/pinka/page";
}

// Blocks. SIGTERM and SIGINT end it: with `local` after the nodes are evacuated. The signals must
// be blocked in the calling thread before any other thread exists.
Status Serve(const ServeOptions& options);

}  // namespace pinka
