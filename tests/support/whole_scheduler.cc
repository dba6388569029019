#include "tests/support/whole_scheduler.h"

#include <stdlib.h>

#include <future>

#include "base/file.h"
#include "tests/support/postgres.h"

namespace pinka {
namespace {

Outcome Ask(Shell& shell, Command command) {
  std::promise<Outcome> promise;
  shell.Do(std::move(command), Lane::kClient,
           [&promise](const Outcome& o) { promise.set_value(o); });
  return promise.get_future().get();
}

LabChange OneTier() {
  LabChange change;
  LabChange::Tier tier;
  tier.row.name = "t4";
  tier.row.unit_gpus = 1;
  tier.row.unit_cpus = 4;
  RateRow rate;
  rate.rate = Rate::MicrosPerUnitHour(1'500'000);
  tier.rates.push_back(rate);
  change.tiers.push_back(tier);
  return change;
}

}  // namespace

StatusOr<std::unique_ptr<WholeScheduler>> WholeScheduler::Start() {
  std::unique_ptr<WholeScheduler> world(new WholeScheduler);
  if (Status s = world->Prepare(); !s.ok()) return s;
  return world;
}

Status WholeScheduler::Prepare() {
  url_ = testing::FreshDatabase();
  token_ = random_.Hex(32);
  shell_ = std::make_unique<Shell>(
      ShellOptions{.database_url = url_, .address = "here", .first_token = token_}, clock_,
      random_);
  if (Status s = shell_->Start(Duration::Seconds(10)); !s.ok()) return s;
  ApplyLab lab;
  lab.actor.admin = true;
  lab.change = OneTier();
  Deposit deposit;
  deposit.actor.admin = true;
  deposit.amount = Money::Whole(1'000'000'000);
  for (const Outcome& outcome : {Ask(*shell_, lab), Ask(*shell_, deposit)}) {
    if (outcome.reply.reason != Reason::kOk) return Internal(outcome.reply.detail);
  }
  char directory[] = "/tmp/pinka-logs-XXXXXX";
  if (!mkdtemp(directory)) return Internal("no directory for logs");
  logs_directory_ = directory;
  logs_ = std::make_unique<LogStore>(logs_directory_, clock_);
  reads_ = std::make_unique<db::ReadPool>(url_, 4);
  blobs_ = std::make_unique<DirectoryBlobs>(logs_directory_ + "/blobs");
  if (Status s = blobs_->Open(); !s.ok()) return s;
  auto server = api::Server::Start({.listen = "127.0.0.1:0"},
                                   {*shell_, *logs_, *blobs_, *reads_, clock_, random_});
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  return OkStatus();
}

WholeScheduler::~WholeScheduler() {
  if (server_) server_->Stop();
  if (shell_) shell_->Stop();
  if (!logs_directory_.empty()) (void)RemoveTree(logs_directory_);
}

}  // namespace pinka
