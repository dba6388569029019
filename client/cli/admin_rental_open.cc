// pinka admin rental open: a machine is on, which no event has told.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/rentals.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminRentalOpen final : public Command {
 public:
  Description Describe() const override {
    return {"admin rental open",
            "NODE [--instance X] [--disk-gb N] [--at T]",
            Group::kAdmin,
            "paid time of machines",
            "Opens the rental of a machine whose provider has been billing without its agent, "
            "under the rule of its tier and source. Machines that join open theirs by themselves.",
            "pinka admin rental open a100-2 --instance i-0a1b --disk-gb 200 --at now-10m"};
  }

  void Declare(Options& options) override {
    options.Positional("NODE", "as pinka nodes prints it", &node_);
    options.Value("--instance", "X", "the provider's name of the machine, as on its bill",
                  &instance_);
    options.Value("--disk-gb", "N", "rented disk, in GB", &disk_gb_);
    options.Value("--at", "T", "since when it is on (default: now)", &at_);
    options.Value("--request-id", "K", "the same key opens it once (default: random)",
                  &request_id_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::OpenRentalRequest request;
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_node(node_);
    request.set_instance(instance_);
    if (!disk_gb_.empty()) {
      PINKA_TRY_ASSIGN(const int64_t gb, ParseInt(disk_gb_, 0, 1'000'000, "--disk-gb"));
      request.set_disk_gb(gb);
    }
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    if (!at_.empty()) {
      PINKA_TRY_ASSIGN(const Timestamp at, lab->zone.Parse(at_, session.Now()));
      *request.mutable_at() = ToProto(at);
    }
    PINKA_TRY_ASSIGN(const v1::OpenRentalResponse answer, api->OpenRental(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    Rentals one;
    *one.Add() = answer.rental();
    PrintRentals(session, *lab, answer.currency(), one, "");
    return 0;
  }

 private:
  std::string node_;
  std::string instance_;
  std::string disk_gb_;
  std::string at_;
  std::string request_id_;
};

}  // namespace

std::unique_ptr<Command> MakeAdminRentalOpen() { return std::make_unique<AdminRentalOpen>(); }

}  // namespace pinka::cli
