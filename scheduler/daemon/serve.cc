#include "scheduler/daemon/serve.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <future>
#include <memory>

#include "base/clock.h"
#include "base/file.h"
#include "base/random.h"
#include "db/migrate.h"
#include "db/pool.h"
#include "fmt/format.h"
#include "scheduler/api/server.h"
#include "scheduler/core/figures.h"
#include "scheduler/core/state.h"
#include "scheduler/daemon/local_tiers.h"
#include "scheduler/runtime/logs.h"
#include "scheduler/runtime/shell.h"
#include "scheduler/web/gateway.h"
#include "scheduler/web/metrics.h"
#include "spdlog/spdlog.h"

namespace pinka {
namespace {

constexpr int kReadConnections = 4;
constexpr Duration kEvacuation = Duration::Seconds(45);

Status Migrate(const std::string& url) {
  db::Connection connection(url, "session_store");
  return db::MigrateUp(&connection);
}

// The nodes' live attempts, as of what is committed.
int64_t LiveAttempts(Shell& shell) {
  std::promise<int64_t> promise;
  auto live = std::make_shared<int64_t>(0);
  shell.Look(
      [live](const State& state) {
        for (const auto& [id, use] : state.node_use) *live += use.live;
      },
      [&promise, live](const Outcome&) { promise.set_value(*live); });
  return promise.get_future().get();
}

// Everything that runs is stopped and goes back to its queue; the agents must still be there.
void EvacuateNodes(Shell& shell, const Clock& clock) {
  const Duration until = clock.Monotonic() + kEvacuation;
  std::promise<void> done;
  shell.Do(Evacuate{}, Lane::kAgent, [&done](const Outcome&) { done.set_value(); });
  done.get_future().wait();
  while (LiveAttempts(shell) > 0) {
    if (clock.Monotonic() > until) {
      spdlog::warn("some work did not end in time; it goes on under its supervisors");
      return;
    }
    poll(nullptr, 0, 50);
  }
}

// Until TERM or INT. Once a second it looks whether the scheduler still leads and what agents to
// want.
Status WaitForEnd(Shell& shell, LocalTiers* tiers) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  const Fd signals(signalfd(-1, &set, SFD_CLOEXEC));
  for (;;) {
    if (tiers) tiers->Tend();
    pollfd wait{signals.get(), POLLIN, 0};
    const int ready = poll(&wait, 1, tiers ? 200 : 1000);
    if (ready < 0 && errno != EINTR) return Internal("cannot wait for signals");
    if (ready > 0) return OkStatus();
    if (const std::string ended = shell.ended(); !ended.empty()) return Unavailable(ended);
  }
}

// Blocks until core's thread has counted; "" where it does not lead any more.
std::string MetricsText(Shell& shell, const web::Metrics& metrics) {
  web::Metrics::Now now;
  std::promise<bool> counted;
  shell.Look(
      [&now](const State& state) {
        now.figures = FiguresOf(state);
        now.currency = state.lab.currency;
      },
      [&](const Outcome& outcome) {
        now.batch = outcome.batch;
        counted.set_value(outcome.kind == Outcome::Kind::kDone);
      });
  if (!counted.get_future().get()) return "";
  now.leads = shell.ended().empty();
  now.alarms = static_cast<int64_t>(shell.alarms().size());
  return metrics.Text(now);
}

// Without the page the lab works as before: an address that is taken is a warning.
std::unique_ptr<web::Gateway> StartPage(const ServeOptions& options, api::Server& server,
                                        Shell& shell, const web::Metrics& metrics) {
  if (options.page_listen.empty()) return nullptr;
  auto page = web::Gateway::Start({.listen = options.page_listen, .assets = options.page_assets},
                                  {.services = server.InProcess(),
                                   .ready = [&shell] { return shell.ended().empty(); },
                                   .metrics = [&] { return MetricsText(shell, metrics); }});
  if (page.ok()) return *std::move(page);
  spdlog::warn("there is no page: {}", Message(page.status()));
  return nullptr;
}

}  // namespace

Status Serve(const ServeOptions& options) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  SystemClock clock;
  SystemRandom random;
  if (Status s = Migrate(options.database_url); !s.ok()) return s;
  if (Status s = MakeDirectories(options.logs); !s.ok()) return s;

  web::Metrics metrics;
  Shell shell({.database_url = options.database_url,
               .address = options.listen,
               .first_admin = options.first_admin,
               .first_token = options.first_token,
               .watch = {.stepped = [&metrics](Duration took) { metrics.Stepped(took); },
                         .committed = [&metrics](Duration took) { metrics.Committed(took); },
                         .reloaded = [&metrics] { metrics.Reloaded(); }}},
              clock, random);
  if (Status s = shell.Start(options.lead_patience); !s.ok()) return s;
  LogStore logs(options.logs, clock);
  db::ReadPool reads(options.database_url, kReadConnections);
  auto server = api::Server::Start({.listen = options.listen}, {shell, logs, reads, clock, random});
  if (!server.ok()) return server.status();

  std::unique_ptr<web::Gateway> page = StartPage(options, **server, shell, metrics);
  const std::string page_address = page ? page->address() : "";

  std::unique_ptr<LocalTiers> tiers;
  if (options.local)
    tiers = std::make_unique<LocalTiers>(options, (*server)->address(), shell, random);
  if (options.on_ready) {
    options.on_ready((*server)->address(), page_address);
  } else {
    fmt::print("pinkad ready on {}{}\n", (*server)->address(),
               page ? ", page on http://" + page_address : "");
    fflush(stdout);
  }
  const Status ended = WaitForEnd(shell, tiers.get());
  if (ended.ok() && options.local) EvacuateNodes(shell, clock);
  shell.agents().ReleaseAll();
  page.reset();
  (*server)->Stop();
  shell.Stop();
  return ended;
}

}  // namespace pinka
