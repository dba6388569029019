// A whole scheduler in this process for benches and tests: a private PostgreSQL, the runtime and
// the gRPC server on a free port, a lab with one t4 tier, and the admin's token.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "db/pool.h"
#include "scheduler/api/server.h"
#include "scheduler/runtime/logs.h"
#include "scheduler/runtime/shell.h"

namespace pinka {

class WholeScheduler {
 public:
  static StatusOr<std::unique_ptr<WholeScheduler>> Start();
  ~WholeScheduler();

  std::string target() const { return "ipv4:" + server_->address(); }
  const std::string& token() const { return token_; }
  const std::string& database_url() const { return url_; }
  Shell& shell() { return *shell_; }
  Blobs& blobs() { return *blobs_; }

 private:
  WholeScheduler() = default;
  Status Prepare();

  SystemClock clock_;
  SystemRandom random_;
  std::string url_;
  std::string token_;
  std::string logs_directory_;
  std::unique_ptr<Shell> shell_;
  std::unique_ptr<LogStore> logs_;
  std::unique_ptr<DirectoryBlobs> blobs_;
  std::unique_ptr<db::ReadPool> reads_;
  std::unique_ptr<api::Server> server_;
};

}  // namespace pinka
