#include "db/cluster.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/file.h"
#include "base/hash.h"
#include "db/connection.h"
#include "db/sql_text.h"

namespace pinka::db {
namespace {

constexpr size_t kLongestSocketPath = 90;
constexpr int kPollMicros = 20'000;
constexpr int kPollsForReady = 60'000'000 / kPollMicros;
constexpr int kPollsForBirth = 5'000'000 / kPollMicros;
constexpr int kPollsForOrphans = 60'000'000 / kPollMicros;

std::string SocketDirectory(const std::string& directory) {
  std::string run = directory + "/run";
  if ((run + "/.s.PGSQL.5432").size() <= kLongestSocketPath) return run;
  return "/tmp/pinka-" + Sha256Hex(directory).substr(0, 12);
}

// A value of postgresql.conf or a libpq connection string in quotes.
std::string Quoted(const std::string& text, const char* quote) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'')
      out += quote;
    else if (c == '\\')
      out += "\\\\";
    else
      out += c;
  }
  return out + "'";
}

Status WriteOwned(const std::string& path, const std::string& content, const SystemUser& user) {
  if (Status status = WriteFileDurably(path, content); !status.ok()) return status;
  if (geteuid() == 0 && chown(path.c_str(), user.uid, user.gid) != 0) {
    return Internal("cannot give " + path + " to " + user.name);
  }
  return OkStatus();
}

Status MakeTop(const std::string& directory, const SystemUser& user) {
  if (!PathExists(directory)) {
    std::string parent = directory.substr(0, directory.rfind('/'));
    if (Status status = MakeDirectories(parent, 0755); !status.ok()) return status;
    if (Status status = MakeOwnDirectory(directory, user, 0700); !status.ok()) return status;
  }
  if (CanEnter(user, directory)) return OkStatus();
  return Internal(
      fmt::format("user {} cannot enter {}: choose a data directory below one that "
                  "everybody may enter, such as /var/lib/pinka",
                  user.name, directory));
}

}  // namespace

Cluster::Cluster(Options options, SystemUser user)
    : options_(std::move(options)),
      user_(std::move(user)),
      data_(options_.directory + "/pg"),
      socket_(SocketDirectory(options_.directory)),
      log_(options_.directory + "/log") {}

StatusOr<Cluster> Cluster::Start(const Options& options) {
  StatusOr<SystemUser> user = UnprivilegedUser();
  if (!user.ok()) return user.status();
  Cluster cluster(options, *user);
  if (Status status = cluster.MakeDirectories(); !status.ok()) return status;
  if (!PathExists(cluster.data_)) {
    if (Status status = cluster.Initialise(); !status.ok()) return status;
  }
  cluster.adopted_ = cluster.Postmaster() != 0;
  Status status = cluster.Restart();
  if (status.ok()) status = cluster.MakeDatabase();
  if (!status.ok()) return status;
  return cluster;
}

std::string Cluster::Url(const std::string& database) const {
  return fmt::format("host={} port=5432 user=pinka dbname={} connect_timeout=10",
                     Quoted(socket_, "\\'"), Quoted(database, "\\'"));
}

Status Cluster::MakeDirectories() {
  if (Status status = MakeTop(options_.directory, user_); !status.ok()) return status;
  if (Status status = MakeOwnDirectory(socket_, user_, 0700); !status.ok()) return status;
  return MakeOwnDirectory(log_, user_, 0700);
}

// Made beside and renamed: an initdb that was interrupted is never taken for a cluster.
Status Cluster::Initialise() {
  std::string fresh = data_ + ".new";
  if (Status status = RemoveTree(fresh); !status.ok()) return status;
  if (Status status = MakeOwnDirectory(fresh, user_, 0700); !status.ok()) return status;
  StatusOr<std::string> made = RunAs(
      user_, {options_.programs + "/initdb", "-D", fresh, "-U", "pinka", "--auth=peer",
              "--locale=C.UTF-8", "--encoding=UTF8", "--data-checksums", "--no-instructions"});
  if (!made.ok()) return made.status();
  if (Status status = Configure(fresh); !status.ok()) return status;
  if (::rename(fresh.c_str(), data_.c_str()) != 0) return Internal("cannot make " + data_);
  return SyncDirectory(options_.directory);
}

// Durability stays as PostgreSQL sets it: fsync, full pages, synchronous commit.
Status Cluster::Configure(const std::string& data) const {
  std::string conf = fmt::format(
      "# Written by pinkad at each start.\n"
      "listen_addresses = ''\nport = 5432\n"
      "unix_socket_directories = {}\nunix_socket_permissions = 0700\n"
      "max_connections = 60\nshared_buffers = 128MB\njit = off\n"
      "timezone = 'UTC'\nlog_timezone = 'UTC'\n"
      "logging_collector = on\nlog_directory = {}\nlog_filename = 'postgresql-%a.log'\n"
      "log_truncate_on_rotation = on\nlog_rotation_age = 1d\nlog_rotation_size = 0\n",
      Quoted(socket_, "''"), Quoted(log_, "''"));
  std::string owners = fmt::format("pinka {} pinka\npinka root pinka\n", user_.name);
  Status status = WriteOwned(data + "/postgresql.conf", conf, user_);
  if (status.ok()) {
    status = WriteOwned(data + "/pg_hba.conf", "local all pinka peer map=pinka\n", user_);
  }
  if (status.ok()) status = WriteOwned(data + "/pg_ident.conf", owners, user_);
  return status;
}

pid_t Cluster::Postmaster() const {
  StatusOr<std::string> file = ReadFile(data_ + "/postmaster.pid");
  if (!file.ok()) return 0;
  auto pid = static_cast<pid_t>(std::strtol(file->c_str(), nullptr, 10));
  for (pid_t process : ProcessesIn(data_)) {
    if (process == pid) return pid;
  }
  return 0;  // a stale file, whoever has the number now
}

Status Cluster::WaitForOrphans() const {
  for (int i = 0; i < kPollsForOrphans; ++i) {
    if (ProcessesIn(data_).empty()) return OkStatus();
    usleep(kPollMicros);
  }
  return Internal("processes of a PostgreSQL that was killed still run in " + data_);
}

Status Cluster::Launch() {
  if (Status status = MakeOwnDirectory(socket_, user_, 0700); !status.ok()) return status;
  if (Status status = Configure(data_); !status.ok()) return status;
  // Stale: nothing runs here, though the number in them may be somebody's, or a zombie's.
  unlink((data_ + "/postmaster.pid").c_str());
  unlink((socket_ + "/.s.PGSQL.5432.lock").c_str());
  return RunAs(user_, {options_.programs + "/pg_ctl", "start", "-D", data_, "-W", "-s", "-l",
                       log_ + "/start.log"})
      .status();
}

Status Cluster::Restart() {
  if (Postmaster() != 0) {
    Status status = WaitUntilReady(0);
    if (status.ok() || Postmaster() != 0) return status;
    adopted_ = false;  // it was dying while we looked
  }
  if (Status status = WaitForOrphans(); !status.ok()) return status;
  if (Status status = Launch(); !status.ok()) return status;
  return WaitUntilReady(kPollsForBirth);
}

// Recovery after a crash may take a while; a server that is gone says so at once. `birth`: polls
// before it must be there.
Status Cluster::WaitUntilReady(int birth) const {
  Status last;
  for (int i = 0; i < kPollsForReady; ++i) {
    Connection connection(Url("postgres"), "session_store");
    last = connection.Connect();
    if (last.ok()) return last;
    if (i >= birth && ProcessesIn(data_).empty()) break;
    usleep(kPollMicros);
  }
  return Unavailable(fmt::format("PostgreSQL in {} does not answer (its log is in {}): {}", data_,
                                 log_, Message(last)));
}

Status Cluster::MakeDatabase() const {
  Connection connection(Url("postgres"), "session_store");
  StatusOr<Result> exists = connection.Exec("has_database");
  if (!exists.ok()) return exists.status();
  if (!exists->empty()) return OkStatus();
  return connection.Script(Query("create_database"));
}

Status Cluster::Stop() {
  Status status;
  if (Postmaster() != 0) {
    status = RunAs(user_, {options_.programs + "/pg_ctl", "stop", "-D", data_, "-m", "fast", "-w",
                           "-s", "-t", "60"})
                 .status();
  }
  if (status.ok()) status = WaitForOrphans();
  if (status.ok() && !socket_.starts_with(options_.directory)) rmdir(socket_.c_str());
  return status;
}

}  // namespace pinka::db
