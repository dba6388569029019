// pinka admin rental close: a machine is off, which no event has told.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/rentals.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminRentalClose final : public Command {
 public:
  Description Describe() const override {
    return {"admin rental close",
            "ID --reason TEXT [--at T] [--egress-gb N] [--stopped]",
            Group::kAdmin,
            "a machine's paid time ends",
            "Closes the rental of a machine that its provider bills no more, and books the rest of "
            "it. Machines that are removed or lost close theirs by themselves; what left one is "
            "booked with --egress-gb then as well. --stopped: it is off and kept, so that its disk "
            "and its stopped rate go on.",
            "pinka admin rental close 31 --reason 'switched off by hand' --at 2026-10-01T18:00 -y"};
  }

  void Declare(Options& options) override {
    options.Positional("ID", "as pinka admin rental ls prints it", &id_);
    options.Value("--reason", "TEXT", "kept with the rental's history", &reason_);
    options.Value("--at", "T", "since when it is off (default: now)", &at_);
    options.Value("--egress-gb", "N", "GB (10^9 bytes) that left the machine, as in 12.5",
                  &egress_gb_);
    options.Flag("--stopped", "it is off and kept: disk and stopped rate go on", &stopped_);
    options.Value("--request-id", "K", "the same key closes it once (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const int64_t id, ParseInt(id_, 1, INT64_MAX, "the rental's id"));
    if (reason_.empty()) return Invalid("say why: --reason TEXT");
    PINKA_TRY(
        session.Confirm("Close rental " + id_ + "? What it has cost is booked now.", yes_, true));
    v1::CloseRentalRequest request;
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_rental_id(id);
    request.set_reason(reason_);
    request.set_stopped(stopped_);
    if (!egress_gb_.empty()) {
      PINKA_TRY_ASSIGN(const Money gb, ParseMoney(egress_gb_));  // a decimal, six digits at most
      if (gb <= Money() || gb > Money::Whole(1'000'000))
        return Invalid("--egress-gb: more than 0, at most 1000000");
      request.set_egress_bytes(gb.micros() * 1'000);
    }
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    if (!at_.empty()) {
      PINKA_TRY_ASSIGN(const Timestamp at, lab->zone.Parse(at_, session.Now()));
      *request.mutable_at() = ToProto(at);
    }
    PINKA_TRY_ASSIGN(const v1::CloseRentalResponse answer, api->CloseRental(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    Rentals one;
    *one.Add() = answer.rental();
    PrintRentals(session, *lab, answer.currency(), one, "");
    if (!answer.note().empty()) session.Note(answer.note() + ".");
    return 0;
  }

 private:
  std::string id_;
  std::string reason_;
  std::string at_;
  std::string egress_gb_;
  bool stopped_ = false;
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminRentalClose() { return std::make_unique<AdminRentalClose>(); }

}  // namespace pinka::cli
