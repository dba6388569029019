#include "scheduler/api/files_service.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/ids.h"
#include "db/reads_files.h"
#include "db/reads_jobs.h"
#include "fmt/format.h"
#include "pinka/v1/files.grpc.pb.h"
#include "scheduler/api/convert_agent.h"
#include "scheduler/api/convert_job.h"
#include "scheduler/api/file_shelf.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/job_reads.h"

namespace pinka::api {
namespace {

constexpr int kMostHashes = 4'096;
constexpr int kCarriers = 4;  // threads that carry blobs, beside those that read the database

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

Status CheckHashes(const v1::FindMissingRequest& request) {
  if (request.hashes_size() > kMostHashes)
    return Invalid(fmt::format("at most {} blobs are asked for at a time", kMostHashes));
  const bool good = std::ranges::all_of(request.hashes(), IsBlobHash);
  return good ? OkStatus() : Invalid("a blob is named by 64 hexadecimal digits");
}

Status CheckBlob(const v1::PutBlobRequest& request) {
  if (request.data().size() > kMostBlob)
    return Refusal(Trouble::kTooLarge, fmt::format("a blob has at most {} bytes", kMostBlob));
  if (Sha256Hex(request.data()) != request.hash())
    return Invalid("the blob arrived damaged: its bytes have another hash");
  return OkStatus();
}

void FillSet(const FileSetRow& row, v1::FileSet* out) {
  out->set_task(ToString(TaskId{row.attempt.job, row.attempt.index}));
  out->set_attempt(row.attempt.number);
  const bool output = row.kind == FileKind::kOutput;
  out->set_kind(output ? v1::FileSet::OUTPUT : v1::FileSet::CHECKPOINT);
  out->set_generation(row.generation);
  out->set_root(row.root);
  out->set_files(row.files);
  out->set_bytes(row.bytes);
  *out->mutable_kept_at() = ToProto(row.kept_at);
}

StatusOr<KeepFiles> ConvertKeep(const v1::KeepFilesRequest& request, const std::string& node) {
  v1::AttemptName name;
  name.set_job_id(request.job_id());
  name.set_index(request.index());
  name.set_number(request.number());
  StatusOr<AttemptId> id = ConvertAttempt(name);
  if (!id.ok()) return id.status();
  const bool output = request.kind() == v1::FileSet::OUTPUT;
  if (!output && request.kind() != v1::FileSet::CHECKPOINT)
    return Invalid("an attempt keeps its output or a checkpoint");
  if (request.generation() < 0 || request.metered_ms() < 0 || request.checkpoint_ms() < 0)
    return Invalid("a generation and a meter are not negative");
  KeepFiles command;
  command.node = node;
  command.files.attempt = *id;
  command.files.kind = output ? FileKind::kOutput : FileKind::kCheckpoint;
  command.files.generation = output ? 0 : request.generation();
  command.files.root = request.root();
  command.metered_ms = request.metered_ms();
  command.checkpoint_ms = request.checkpoint_ms();
  return command;
}

bool IsOrdered(const State& state, const std::string& node, const TaskId& task) {
  const auto named = state.node_by_name.find(node);
  if (named == state.node_by_name.end()) return false;
  const auto use = state.node_use.find(named->second);
  return use != state.node_use.end() &&
         std::ranges::any_of(use->second.attempts, [&](const AttemptId& id) {
           return id.job == task.job && id.index == task.index;
         });
}

class FilesService final : public v1::FilesService::CallbackService {
 public:
  explicit FilesService(Desk& desk)
      : desk_(desk), blobs_(desk.tools().blobs), carriers_(kCarriers) {}

  Reactor* FindMissing(Context* context, const v1::FindMissingRequest* request,
                       v1::FindMissingResponse* response) override {
    return Carry(context, "pinka.v1.FilesService.FindMissing", [=, this](CallPtr call) -> Status {
      if (Status s = CheckHashes(*request); !s.ok()) return s;
      auto missing = blobs_.Missing({request->hashes().begin(), request->hashes().end()});
      if (!missing.ok()) return missing.status();
      for (const std::string& hash : *missing) response->add_hashes(hash);
      call->Done();
      return OkStatus();
    });
  }

  Reactor* PutBlob(Context* context, const v1::PutBlobRequest* request,
                   v1::PutBlobResponse*) override {
    return Carry(context, "pinka.v1.FilesService.PutBlob", [=, this](CallPtr call) -> Status {
      if (Status s = CheckBlob(*request); !s.ok()) return s;
      if (Status s = blobs_.Put(request->hash(), request->data()); !s.ok()) return s;
      call->Done();
      return OkStatus();
    });
  }

  Reactor* GetBlob(Context* context, const v1::GetBlobRequest* request,
                   v1::GetBlobResponse* response) override {
    return Carry(context, "pinka.v1.FilesService.GetBlob", [=, this](CallPtr call) -> Status {
      if (!IsBlobHash(request->hash())) return Invalid("a blob is named by 64 hexadecimal digits");
      StatusOr<std::string> bytes = blobs_.Get(request->hash());
      if (!bytes.ok()) return bytes.status();
      response->set_data(*std::move(bytes));
      call->Done();
      return OkStatus();
    });
  }

  Reactor* ListFileSets(Context* context, const v1::ListFileSetsRequest* request,
                        v1::ListFileSetsResponse* response) override {
    return desk_.Open(context, "pinka.v1.FilesService.ListFileSets", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
        if (Status s = List(call->who(), *board, *request, response); !s.ok()) return call->Fail(s);
        call->Done();
      });
    });
  }

  // The tree is looked through before core hears of it: what is not whole is never kept.
  Reactor* KeepFiles(Context* context, const v1::KeepFilesRequest* request,
                     v1::KeepFilesResponse*) override {
    return Carry(context, "pinka.v1.FilesService.KeepFiles", [=, this](CallPtr call) -> Status {
      auto command = ConvertKeep(*request, call->who().node);
      if (!command.ok()) return command.status();
      auto size = CheckTree(blobs_, request->root());
      // Another try sends what is missing.
      if (absl::IsNotFound(size.status())) return Unavailable(Message(size.status()));
      if (!size.ok()) return size.status();
      command->files.files = size->files;
      command->files.bytes = size->bytes;
      if (Status s = CheckQuota(JobId(request->job_id()), size->bytes); !s.ok()) return s;
      if (Status s = LookBack(&*command); !s.ok()) return s;
      desk_.Do(call, *std::move(command), [call](const Outcome&) { call->Done(); });
      return OkStatus();
    });
  }

  // Only of tasks that this node has been ordered to run.
  Reactor* FindCheckpoint(Context* context, const v1::FindCheckpointRequest* request,
                          v1::FindCheckpointResponse* response) override {
    return desk_.Open(context, "pinka.v1.FilesService.FindCheckpoint", [=, this](CallPtr call) {
      const TaskId task{JobId(request->job_id()), request->index()};
      auto ordered = std::make_shared<bool>(false);
      desk_.tools().runtime.Look(
          [=](const State& state) { *ordered = IsOrdered(state, call->who().node, task); },
          [=, this](const Outcome& outcome) {
            if (Status s = StatusOf(outcome); !s.ok()) return call->Fail(s);
            if (!*ordered)
              return call->Refuse(Reason::kNoSuchTask, "this node has no order for the task");
            desk_.Read(call, [=, this] { AnswerCheckpoint(call, task, response); });
          });
    });
  }

 private:
  // Admits, then runs `work` where it may block on the store.
  Reactor* Carry(Context* context, const char* method, std::function<Status(CallPtr)> work) {
    return desk_.Open(context, method, [this, work = std::move(work)](CallPtr call) {
      const bool taken = carriers_.Run([call, work] {
        if (Status s = work(call); !s.ok()) call->Fail(ShelfError(s));
      });
      if (taken) return;
      call->Fail(Refusal(Trouble::kBusy, "too many files are on their way; try again in a moment",
                         Duration::Millis(500)));
    });
  }

  Status List(const Principal& who, const Board& board, const v1::ListFileSetsRequest& request,
              v1::ListFileSetsResponse* response) {
    const JobId id(request.job_id());
    auto job = db::GetJob(desk_.database(), id, 0);
    if (!job.ok()) return job.status();
    if (!job->has_value()) return NoSuchJob(id);
    const View view(who, (*job)->line.member, board.lab.openness);
    if (!view.own() && !who.admin) return NoSuchJob(id);
    if (!view.own()) LogForeignRead(who, "files", id, (*job)->line.user);
    auto rows = db::FileSetsOf(desk_.database(), id,
                               request.has_index() ? std::optional(request.index()) : std::nullopt);
    if (!rows.ok()) return rows.status();
    if (const std::string& code = (*job)->row.code; !code.empty()) {
      v1::FileSet* set = response->add_sets();
      set->set_kind(v1::FileSet::CODE);
      set->set_root(code);
    }
    for (const FileSetRow& row : *rows) FillSet(row, response->add_sets());
    *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
    return OkStatus();
  }

  void AnswerCheckpoint(const CallPtr& call, const TaskId& task,
                        v1::FindCheckpointResponse* response) {
    auto found = db::NewestCheckpoint(desk_.database(), task);
    if (!found.ok()) return call->Fail(found.status());
    if (found->has_value()) {
      response->set_found(true);
      response->set_generation((*found)->generation);
      response->set_root((*found)->root);
      response->set_files((*found)->files);
      response->set_bytes((*found)->bytes);
    }
    call->Done();
  }

  // Whether an earlier attempt was further.
  Status LookBack(pinka::KeepFiles* command) {
    const FileSetRow& row = command->files;
    if (row.kind != FileKind::kCheckpoint) return OkStatus();
    auto newest = db::NewestCheckpoint(desk_.database(), {row.attempt.job, row.attempt.index});
    if (!newest.ok()) return newest.status();
    const bool further = newest->has_value() && (*newest)->attempt.number < row.attempt.number &&
                         (*newest)->generation > row.generation;
    if (further) command->given = (*newest)->generation;
    return OkStatus();
  }

  Status CheckQuota(JobId job, int64_t bytes) {
    auto kept = db::BytesKeptOfOwner(desk_.database(), job);
    if (!kept.ok()) return kept.status();
    const int64_t quota = desk_.tools().files_quota;
    if (*kept + bytes <= quota) return OkStatus();
    return Refusal(
        Trouble::kStoreFull,
        fmt::format("the owner keeps {} MiB of files and may keep {}; {} MiB more do not "
                    "fit until older ones have gone",
                    *kept >> 20, quota >> 20, bytes >> 20));
  }

  Desk& desk_;
  Blobs& blobs_;
  Readers carriers_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeFilesService(Desk& desk) {
  return std::make_unique<FilesService>(desk);
}

}  // namespace pinka::api
