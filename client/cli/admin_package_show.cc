// pinka admin package show: a package with everybody's portion.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/portions.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminPackageShow final : public Command {
 public:
  Description Describe() const override {
    return {"admin package show",
            "ID",
            Group::kAdmin,
            "a package with its portions",
            "Shows a package: its terms, what is used and what it cost, and each member's portion: "
            "own = used - borrowed + lent + held + left + lapsed.",
            "pinka admin package show 12"};
  }

  void Declare(Options& options) override {
    options.Positional("ID", "as pinka admin package ls prints it", &id_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const int64_t id, ParseInt(id_, 1, INT64_MAX, "the package's id"));
    v1::ListPackagesRequest request;
    request.set_package_id(id);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListPackagesResponse answer, api->ListPackages(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    for (const v1::Package& package : answer.packages())
      PrintPackage(session, *lab, answer.currency(), package);
    return 0;
  }

 private:
  std::string id_;
};

}  // namespace

std::unique_ptr<Command> MakeAdminPackageShow() { return std::make_unique<AdminPackageShow>(); }

}  // namespace pinka::cli
