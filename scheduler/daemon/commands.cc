#include "scheduler/daemon/commands.h"

#include <functional>

#include "base/clock.h"
#include "db/cluster.h"
#include "db/migrate.h"
#include "fmt/format.h"
#include "scheduler/check/check.h"
#include "scheduler/config.h"
#include "scheduler/daemon/serve.h"
#include "scheduler/daemon/tls_files.h"
#include "scheduler/daemon/trace.h"

namespace pinka {
namespace {

// Calls `act` with the database's address. A data directory's PostgreSQL that does not run is
// started for the time of the call, under the directory's lock; one that runs is used as it is.
Status WithDatabase(const BooksOptions& options,
                    const std::function<Status(const std::string&)>& act) {
  if (!options.config.empty()) {
    auto config = ReadConfig(options.config);
    return config.ok() ? act(config->database_url) : config.status();
  }
  const std::string path = options.data.empty() ? DataDir::Default() : options.data;
  if (!PathExists(path + "/db")) {
    return Invalid(
        fmt::format("{} is no data directory of pinkad up; say --data DIR or --config FILE", path));
  }
  auto account = SchedulerAccount();
  if (!account.ok()) return account.status();
  auto dir = DataDir::Open(path, *account);
  const bool served = absl::IsAlreadyExists(dir.status());
  if (!dir.ok() && !served) return dir.status();
  auto cluster = db::Cluster::Start({.directory = path + "/db"});
  if (!cluster.ok()) return cluster.status();
  const Status acted = act(cluster->Url());
  const Status stopped = served || cluster->adopted() ? OkStatus() : cluster->Stop();
  return acted.ok() ? stopped : acted;
}

}  // namespace

Status MigrateDatabase(const std::string& action, const BooksOptions& options) {
  return WithDatabase(options, [&](const std::string& url) {
    db::Connection connection(url, "session_store");
    if (action == "up") return db::MigrateUp(&connection);
    if (action == "down") return db::MigrateDown(&connection, options.version);
    return db::MigrateValidate(&connection);
  });
}

StatusOr<int> CheckDatabase(const BooksOptions& options, std::ostream& out) {
  int code = 1;
  const Status checked = WithDatabase(options, [&](const std::string& url) {
    code = check::RunCheck(url, out);
    return OkStatus();
  });
  if (!checked.ok()) return checked;
  return code;
}

Status PrintTrace(const BooksOptions& options, std::ostream& out) {
  return WithDatabase(options, [&](const std::string& url) {
    db::ReadPool pool(url, 1);
    const auto tasks = db::ReadTrace(pool);
    if (tasks.ok()) out << TraceCsv(*tasks) << std::flush;
    return tasks.status();
  });
}

Status ServeConfig(const std::string& path, const std::string& programs,
                   const std::string& tls_listen) {
  auto config = ReadConfig(path);
  if (!config.ok()) return config.status();
  ServeOptions serve;
  serve.database_url = config->database_url;
  serve.listen = config->listen;
  serve.page_listen = config->page_listen;
  serve.page_assets = PageAssets(programs);
  serve.logs = config->data + "/logs";
  serve.keep_logs = config->keep_logs;
  serve.blobs = config->data + "/blobs";
  serve.blobs_remote = config->blobs_remote;
  serve.files_quota = config->files_quota;
  const std::string& listen = tls_listen.empty() ? config->tls_listen : tls_listen;
  if (!listen.empty()) {
    auto tls = LoadTls(listen, config->certificate, config->key, SystemClock().Now());
    if (!tls.ok()) return tls.status();
    serve.tls = *std::move(tls);
  }
  return Serve(serve);
}

}  // namespace pinka
