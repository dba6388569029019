#include "scheduler/daemon/up.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/clock.h"
#include "base/file.h"
#include "base/random.h"
#include "db/cluster.h"
#include "fmt/format.h"
#include "scheduler/daemon/data_dir.h"
#include "scheduler/daemon/first_token.h"
#include "scheduler/daemon/local_agents.h"
#include "scheduler/daemon/serve.h"
#include "scheduler/daemon/tls_files.h"
#include "spdlog/spdlog.h"

namespace pinka {
namespace {

sigset_t Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&set, signal);
  return set;
}

// One line to the parent: fields separated by tabs, which no name holds.
void Tell(int pipe, const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += field + "\t";
  line.back() = '\n';
  const ssize_t written =
      write(pipe, line.data(), line.size());  // below PIPE_BUF: whole or not at all
  if (written < 0) spdlog::warn("the parent is gone: {}", strerror(errno));
}

std::vector<std::string> SplitLine(std::string_view line) {
  std::vector<std::string> fields;
  for (size_t at = 0; at <= line.size();) {
    const size_t tab = std::min(line.find('\t', at), line.size());
    fields.emplace_back(line.substr(at, tab - at));
    at = tab + 1;
  }
  return fields;
}

struct World {
  UpOptions options;
  Account account;
  DataDir dir;
  std::string database_url;
  std::string token;
  api::TlsListen tls;  // read while this process has its rights
};

// The child: rights dropped, serves, ends the process.
[[noreturn]] void RunScheduler(const World& world, int pipe) {
  if (world.account.drop) prctl(PR_SET_DUMPABLE, 0);
  BecomeAccount(world.account);
  // Without its keeper it is as if both had been killed: the jobs go on and the next `up` adopts
  // them.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  ServeOptions serve;
  serve.database_url = world.database_url;
  serve.listen = fmt::format("127.0.0.1:{}", world.options.port);
  serve.tls = world.tls;
  serve.logs = world.dir.logs();
  serve.blobs = world.dir.blobs();
  serve.first_token = world.token;
  serve.local = true;
  serve.tokens = world.dir.tokens();
  serve.max_agents = world.options.agents;
  serve.agent_program = world.options.programs + "/pinka-agent";
  serve.agent_state = world.dir.agents();
  serve.agent_shared = world.dir.shared();
  serve.page_listen =
      world.options.page_port < 0 ? "" : fmt::format("127.0.0.1:{}", world.options.page_port);
  serve.page_assets = PageAssets(world.options.programs);
  serve.on_ready = [pipe](const Served& at) { Tell(pipe, {"ready", at.address, at.tls, at.page}); };
  serve.want_agent = [pipe](const LocalAgent& agent) {
    std::vector<std::string> fields{"agent", agent.tier, agent.node};
    fields.insert(fields.end(), agent.argv.begin(), agent.argv.end());
    Tell(pipe, fields);
  };
  const Status served = Serve(serve);
  if (!served.ok()) fmt::print(stderr, "pinkad: {}\n", Message(served));
  fflush(nullptr);
  _exit(served.ok() ? 0 : 1);
}

// The parent: tends the agents and PostgreSQL until it is told to stop or the scheduler ends.
class Keeper {
 public:
  Keeper(const World& world, db::Cluster& cluster)
      : world_(world), cluster_(cluster), agents_(world.dir.agents()) {}

  Status Run() {
    Fd in;
    if (Status s = StartScheduler(&in); !s.ok()) return s;
    sigset_t set = Signals();
    const Fd signals(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    while (scheduler_ > 0) {
      pollfd waits[] = {{signals.get(), POLLIN, 0}, {in.get(), POLLIN, 0}};
      poll(waits, in.valid() ? 2 : 1, 500);
      signalfd_siginfo info;
      while (read(signals.get(), &info, sizeof info) == sizeof info)
        OnSignal(static_cast<int>(info.ssi_signo));
      if ((waits[1].revents & (POLLIN | POLLHUP)) && !ReadWishes(in.get())) in = Fd();
      if (!stopping_) {
        agents_.Tend(SystemClock().Monotonic());
        TendDatabase(SystemClock().Monotonic());
      }
    }
    // The scheduler has ended: by our TERM, or because it must.
    agents_.StopAll();
    const Status stopped = cluster_.Stop();
    if (!stopping_) return Internal("the scheduler ended by itself; its last lines say why");
    return stopped;
  }

 private:
  Status StartScheduler(Fd* in) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return Internal("no pipe for the scheduler");
    fflush(nullptr);
    scheduler_ = fork();
    if (scheduler_ < 0) return Internal("no process for the scheduler");
    if (scheduler_ == 0) {
      close(ends[0]);
      RunScheduler(world_, ends[1]);
    }
    close(ends[1]);
    *in = Fd(ends[0]);
    return OkStatus();
  }

  void OnSignal(int signal) {
    if (signal != SIGCHLD) {
      stopping_ = true;
      if (scheduler_ > 0) kill(scheduler_, SIGTERM);
      return;
    }
    // As process 1 of a container this also reaps what nobody waits for.
    int status = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (pid == scheduler_) {
        scheduler_ = 0;
      } else if (!stopping_) {
        agents_.Ended(pid, SystemClock().Monotonic());
      }
    }
  }

  // A postmaster that died (killed, out of memory) starts again; the scheduler finds it by itself.
  void TendDatabase(Duration now) {
    if (now - database_seen_ < Duration::Seconds(1)) return;
    database_seen_ = now;
    if (cluster_.Postmaster() != 0) return;
    spdlog::warn("PostgreSQL is gone; it starts again");
    if (Status s = cluster_.Restart(); !s.ok()) spdlog::error("PostgreSQL: {}", Message(s));
  }

  // False at the end of the pipe.
  bool ReadWishes(int fd) {
    char buffer[4096];
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0) return n < 0 && errno == EINTR;
    wishes_.append(buffer, static_cast<size_t>(n));
    for (size_t end; (end = wishes_.find('\n')) != std::string::npos; wishes_.erase(0, end + 1)) {
      OnWish(SplitLine(std::string_view(wishes_).substr(0, end)));
    }
    return true;
  }

  void OnWish(const std::vector<std::string>& wish) {
    if (wish.size() == 4 && wish[0] == "ready") {
      const Status s = WriteLocalContext(wish[1], world_.token);
      if (!s.ok())
        spdlog::warn("context local was not written: {}; its token lies in {}/admin", Message(s),
                     world_.dir.tokens());
      fmt::print("pinkad ready on {}, data in {}\n", Places({wish[1], wish[2], wish[3]}),
                 world_.dir.path());
      fflush(stdout);
    } else if (wish.size() >= 4 && wish[0] == "agent" && !stopping_) {
      agents_.Start({wish[1], wish[2], {wish.begin() + 3, wish.end()}});
    }
  }

  const World& world_;
  db::Cluster& cluster_;
  LocalAgents agents_;
  pid_t scheduler_ = 0;
  bool stopping_ = false;
  Duration database_seen_;
  std::string wishes_;
};

Status FindTls(World* world) {
  const UpOptions& options = world->options;
  if (options.listen.empty()) return OkStatus();
  const std::string at = world->dir.path() + "/tls";
  const bool own = options.certificate.empty();
  StatusOr<api::TlsListen> tls =
      LoadTls(options.listen, own ? at + "/server.pem" : options.certificate,
              options.key.empty() ? at + "/server-key.pem" : options.key, SystemClock().Now());
  if (!tls.ok()) return tls.status();
  world->tls = *std::move(tls);
  return OkStatus();
}

}  // namespace

Status Up(const UpOptions& options) {
  sigset_t set = Signals();
  signal(SIGPIPE, SIG_IGN);  // whoever reads our output may leave before us
  // Before any thread; Keeper and Serve take them one by one.
  sigprocmask(SIG_BLOCK, &set, nullptr);
  World world;
  world.options = options;
  auto account = SchedulerAccount();
  if (!account.ok()) return account.status();
  world.account = *account;
  auto dir = DataDir::Open(options.data.empty() ? DataDir::Default() : options.data, *account);
  if (!dir.ok()) return dir.status();
  world.dir = *std::move(dir);
  if (Status s = FindTls(&world); !s.ok()) return s;
  SystemRandom random;
  auto token = KeptToken(world.dir, "admin", *account, random);
  if (!token.ok()) return token.status();
  world.token = *token;
  auto cluster = db::Cluster::Start({.directory = world.dir.db()});
  if (!cluster.ok()) return cluster.status();
  world.database_url = cluster->Url();
  return Keeper(world, *cluster).Run();
}

}  // namespace pinka
