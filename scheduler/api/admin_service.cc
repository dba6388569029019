#include "scheduler/api/admin_service.h"

#include <algorithm>

#include "base/hash.h"
#include "db/reads_lab.h"
#include "fmt/format.h"
#include "pinka/v1/admin.grpc.pb.h"
#include "scheduler/api/card_catalogue.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/lab_file.h"
#include "scheduler/api/tokens.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

constexpr size_t kMostLabFile = size_t{1} << 20;

// Roles of a member: "member" is everybody's, "admin" may be added.
StatusOr<bool> IsAdmin(const google::protobuf::RepeatedPtrField<std::string>& roles) {
  bool admin = false;
  for (const std::string& role : roles) {
    if (role == "admin") {
      admin = true;
    } else if (role != "member") {
      return Invalid("a role is member or admin");
    }
  }
  return admin;
}

class AdminService final : public v1::AdminService::CallbackService {
 public:
  explicit AdminService(Desk& desk) : desk_(desk) {}

  Reactor* ApplyLab(Context* context, const v1::ApplyLabRequest* request,
                    v1::ApplyLabResponse* response) override {
    return desk_.Open(context, "pinka.v1.AdminService.ApplyLab", [=, this](CallPtr call) {
      if (request->toml().size() > kMostLabFile)
        return call->Fail(Refusal(Trouble::kTooLarge, "a lab file has at most 1 MiB"));
      desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
        StatusOr<pinka::ApplyLab> command = ConvertApply(*request, *board);
        if (!command.ok()) return call->Fail(command.status());
        command->actor = call->actor();
        desk_.Do(call, *std::move(command), [=, this](const Outcome& outcome) {
          for (const std::string& line : outcome.reply.lines) response->add_changes(line);
          response->set_applied(!request->dry_run());
          *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
          call->Done();
        });
      });
    });
  }

  Reactor* AddMember(Context* context, const v1::AddMemberRequest* request,
                     v1::AddMemberResponse* response) override {
    return desk_.Open(context, "pinka.v1.AdminService.AddMember", [=, this](CallPtr call) {
      pinka::AddMember command;
      command.actor = call->actor();
      StatusOr<RequestKey> key = KeyOf(*request);
      if (!key.ok()) return call->Fail(key.status());
      command.request = *key;
      if (Status s = CheckName(request->name(), "member"); !s.ok()) return call->Fail(s);
      if (request->share() < 0)
        return call->Refuse(Reason::kBadRequest,
                            "a share is 0 or more; 0 runs when nobody else can");
      StatusOr<bool> admin = IsAdmin(request->roles());
      if (!admin.ok()) return call->Fail(admin.status());
      command.name = request->name();
      command.share = request->share();
      command.admin = *admin;
      const std::string token = NewToken(desk_.tools().random);
      command.token_hash = Sha256Hex(token);
      desk_.Do(call, std::move(command), [=, this](const Outcome& outcome) {
        if (!outcome.reply.repeated) {
          response->set_token(token);
          return call->Done();
        }
        TokenRow row;  // the first token was shown to nobody, or is lost: another one
        row.member = MemberId(outcome.reply.first);
        MakeToken(desk_, call, {}, row, [=](const std::string& another) {
          response->set_token(another);
          call->Done();
        });
      });
    });
  }

  Reactor* RemoveMember(Context* context, const v1::RemoveMemberRequest* request,
                        v1::RemoveMemberResponse* response) override {
    return desk_.Open(context, "pinka.v1.AdminService.RemoveMember", [=, this](CallPtr call) {
      StatusOr<RequestKey> key = KeyOf(*request);
      if (!key.ok()) return call->Fail(key.status());
      if (Status s = CheckName(request->name(), "member"); !s.ok()) return call->Fail(s);
      pinka::RemoveMember command{call->actor(), *key, request->name()};
      desk_.Do(call, std::move(command), [=](const Outcome& outcome) {
        for (const std::string& line : outcome.reply.lines) response->add_consequences(line);
        call->Done();
      });
    });
  }

  // For oneself, or by an admin for anybody.
  Reactor* CreateMemberToken(Context* context, const v1::CreateMemberTokenRequest* request,
                             v1::CreateMemberTokenResponse* response) override {
    return desk_.Open(context, "pinka.v1.AdminService.CreateMemberToken", [=, this](CallPtr call) {
      StatusOr<RequestKey> key = KeyOf(*request);
      if (!key.ok()) return call->Fail(key.status());
      desk_.tools().names.Fresh([=, this, key = *key](BoardPtr board) {
        const auto named = FindMember(*board, request->name());
        TokenRow row;
        row.member = request->name().empty() ? call->who().member : named.value_or(MemberId());
        const bool may = call->who().admin || row.member == call->who().member;
        if (!row.member || !may)
          return call->Refuse(Reason::kNoSuchMember, "no such member, or not you");
        MakeToken(desk_, call, key, row, [=](const std::string& token) {
          response->set_token(token);
          call->Done();
        });
      });
    });
  }

  Reactor* ListMembers(Context* context, const v1::ListMembersRequest*,
                       v1::ListMembersResponse* response) override {
    return desk_.Open(context, "pinka.v1.AdminService.ListMembers", [=, this](CallPtr call) {
      desk_.Read(call, [=, this] {
        auto members = db::ListMembers(desk_.database());
        if (!members.ok()) return call->Fail(members.status());
        for (const MemberRow& row : *members) {
          v1::Member* out = response->add_members();
          out->set_name(row.name);
          out->set_share(row.share);
          out->add_roles("member");
          if (row.admin) out->add_roles("admin");
          out->set_removed(row.removed);
        }
        call->Done();
      });
    });
  }

 private:
  // May block: it reads who is there.
  StatusOr<pinka::ApplyLab> ConvertApply(const v1::ApplyLabRequest& request, const Board& board) {
    auto members = db::ListMembers(desk_.database());
    if (!members.ok()) return members.status();
    LabBase base;
    base.lab = board.lab;
    for (const Board::Tier& tier : board.tiers) base.tiers.push_back(tier.row);
    base.members = *std::move(members);
    base.projects = board.projects;
    const std::string name = request.file_name().empty() ? "lab.toml" : request.file_name();
    StatusOr<LabFile> file = ReadLabFile(request.toml(), name, base);
    if (!file.ok()) return file.status();
    if (Status s = NameCards(&file->change); !s.ok()) return s;
    if (!file->removals.empty() && !request.allow_removal() && !request.dry_run()) {
      return Invalid(fmt::format("{} takes out {}; say -y if that is meant", name,
                                 fmt::join(file->removals, ", ")));
    }
    pinka::ApplyLab command;
    command.change = std::move(file->change);
    command.dry_run = request.dry_run();
    if (command.dry_run) return command;  // it leaves no trace, no key either
    StatusOr<RequestKey> key = KeyOf(request);
    if (!key.ok()) return key.status();
    command.request = *key;
    return command;
  }

  Desk& desk_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeAdminService(Desk& desk) {
  return std::make_unique<AdminService>(desk);
}

}  // namespace pinka::api
