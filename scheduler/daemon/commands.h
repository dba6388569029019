// The commands of pinkad beside `up`: each finds its database and does one thing.
#pragma once

#include <ostream>
#include <string>

#include "base/status.h"
#include "scheduler/daemon/data_dir.h"
#include "scheduler/daemon/up.h"

namespace pinka {

// Serves by a configuration file until SIGTERM. `programs` is the directory of this one;
// `tls_listen` wins over the file's.
Status ServeConfig(const std::string& path, const std::string& programs,
                   const std::string& tls_listen);

// Which database: that of a configuration file, or of a data directory (default: DataDir::Default).
// The PostgreSQL of a data directory is started for the time of the command where it does not run.
struct BooksOptions {
  std::string config;
  std::string data;
  int version = 0;
};

Status MigrateDatabase(const std::string& action, const BooksOptions& options);

// The exit code: 0 in order, 1 not, with the broken rules on `out`.
StatusOr<int> CheckDatabase(const BooksOptions& options, std::ostream& out);

// The lab's own history, as `pinka simulate` reads it (trace.h).
Status PrintTrace(const BooksOptions& options, std::ostream& out);

}  // namespace pinka
