#include "scheduler/api/package_service.h"

#include "pinka/v1/package.grpc.pb.h"
#include "scheduler/api/convert_package.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

// With its portions, which are sorted as the packages are.
void FillWhole(const db::Packages& all, const db::PackageLine& line, v1::Package* out) {
  FillPackage(line, out);
  for (const db::PortionLine& portion : all.portions) {
    if (portion.row.package == line.row.id) FillPortion(line, portion, out->add_portions());
  }
}

class PackageService final : public v1::PackageService::CallbackService {
 public:
  explicit PackageService(Desk& desk) : desk_(desk) {}

  Reactor* BuyPackage(Context* context, const v1::BuyPackageRequest* request,
                      v1::BuyPackageResponse* response) override {
    return desk_.Open(context, "pinka.v1.PackageService.BuyPackage", [=, this](CallPtr call) {
      // A member may have been added just now.
      desk_.tools().names.Fresh([=, this](BoardPtr board) {
        if (!board) return call->Fail(Unavailable("the scheduler is starting"));
        desk_.Read(call, [=, this] { Buy(call, *request, *board, response); });
      });
    });
  }

  Reactor* ClosePackage(Context* context, const v1::ClosePackageRequest* request,
                        v1::ClosePackageResponse* response) override {
    return desk_.Open(context, "pinka.v1.PackageService.ClosePackage", [=, this](CallPtr call) {
      pinka::ClosePackage command;
      StatusOr<RequestKey> key = KeyOf(*request);
      if (!key.ok()) return call->Fail(key.status());
      if (Status s = CheckText(request->reason(), kMostTextChars, "reason"); !s.ok())
        return call->Fail(s);
      command.actor = call->actor();
      command.request = *key;
      command.package = PackageId(request->package_id());
      command.reason = request->reason();
      desk_.Do(call, std::move(command), [=, this](const Outcome& outcome) {
        Answer(call, PackageId(outcome.reply.first), response);
      });
    });
  }

  Reactor* ListPackages(Context* context, const v1::ListPackagesRequest* request,
                        v1::ListPackagesResponse* response) override {
    return desk_.Open(context, "pinka.v1.PackageService.ListPackages", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, request->min_batch(), [=, this](BoardPtr board) {
        auto all = db::ReadPackages(desk_.database(), PackageId(request->package_id()),
                                    !request->open_only());
        if (!all.ok()) return call->Fail(all.status());
        if (request->package_id() != 0 && all->packages.empty()) {
          return call->Refuse(Reason::kNoSuchAccount,
                              "no such package; `pinka admin package ls` lists them all");
        }
        for (const db::PackageLine& line : all->packages) {
          FillWhole(*all, line, response->add_packages());
        }
        response->set_currency(board->lab.currency);
        *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
        call->Done();
      });
    });
  }

 private:
  void Buy(CallPtr call, const v1::BuyPackageRequest& request, const Board& board,
           v1::BuyPackageResponse* response) {
    auto paid_in = db::ReadPaidIn(desk_.database());
    if (!paid_in.ok()) return call->Fail(paid_in.status());
    auto command = ConvertPurchase(request, board, *paid_in);
    if (!command.ok()) return call->Fail(command.status());
    command->actor = call->actor();
    desk_.Do(call, *std::move(command), [=, this](const Outcome& outcome) {
      Answer(call, PackageId(outcome.reply.first), response);
    });
  }

  // The package as it is after the commit.
  template <class Response>
  void Answer(CallPtr call, PackageId id, Response* response) {
    desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
      auto all = db::ReadPackages(desk_.database(), id);
      if (!all.ok()) return call->Fail(all.status());
      for (const db::PackageLine& line : all->packages)
        FillWhole(*all, line, response->mutable_package());
      response->set_currency(board->lab.currency);
      *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
      call->Done();
    });
  }

  Desk& desk_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakePackageService(Desk& desk) {
  return std::make_unique<PackageService>(desk);
}

}  // namespace pinka::api
