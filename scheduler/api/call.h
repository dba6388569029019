// A unary RPC on its way: who calls, and the one answer it gets. Handlers hold it by shared_ptr and
// pass it from callback to callback; whoever drops the last reference without an answer answers
// "internal", so that no caller ever waits for nothing.
//
//   grpc::ServerUnaryReactor* GetJob(ctx, request, response) override {
//     return desk_.Open(ctx, "pinka.v1.JobService.GetJob", [=, this](CallPtr call) { … });
//   }
//
// `request` and `response` live until the answer.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "db/pool.h"
#include "scheduler/api/auth.h"
#include "scheduler/api/names.h"
#include "scheduler/api/readers.h"
#include "scheduler/api/signal.h"
#include "scheduler/api/status_table.h"
#include "scheduler/runtime/blobs.h"
#include "scheduler/runtime/runtime.h"

namespace pinka::api {

// `pinka-error-bin` and gRPC's status of a refusal, for any kind of call.
grpc::Status Attach(grpc::CallbackServerContext* context, const Status& status);

class Call {
 public:
  explicit Call(grpc::CallbackServerContext* context)
      : context_(context), reactor_(context->DefaultReactor()) {}
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Principal& who() const { return who_; }
  Actor actor() const { return who_.actor(); }

  // One of these, once; later ones change nothing.
  void Done();
  void Fail(const Status& status);
  void Refuse(Reason reason, const std::string& sentence) { Fail(Refusal(reason, sentence)); }

 private:
  friend class Desk;
  grpc::CallbackServerContext* context_;
  grpc::ServerUnaryReactor* reactor_;
  Principal who_;
  std::atomic<bool> answered_{false};
};
using CallPtr = std::shared_ptr<Call>;

// Why a command has no reply to show; OK where it has one that is no refusal.
Status StatusOf(const Outcome& outcome);

// How boxes elsewhere reach this scheduler; both empty: not at all.
struct WayIn {
  std::string server;  // "lab.example:7443"
  std::string ca_pin;  // SHA-256 of the lab's own authority; "": a public one vouches for it
};

// What every service works with.
struct Tools {
  Runtime& runtime;
  db::ReadPool& database;
  Readers& readers;
  TokenCache& tokens;
  Names& names;
  const Clock& clock;
  Random& random;
  Blobs& blobs;
  int64_t files_quota;  // bytes of files that a member may keep
  Waits& waits;
  const std::atomic<bool>& stopping;  // nobody is made to wait any more
  std::string_view version;
  const WayIn& way_in;
};

class Desk {
 public:
  explicit Desk(const Tools& tools) : tools_(tools) {}

  // Authenticates, judges the method's rule, then calls `then`.
  grpc::ServerUnaryReactor* Open(grpc::CallbackServerContext* context, std::string_view method,
                                 std::function<void(CallPtr)> then);
  // The same for streams, which have reactors of their own.
  void Admit(grpc::CallbackServerContext* context, std::string_view method,
             std::function<void(StatusOr<Principal>)> then);

  // Runs `job` where it may block.
  void Read(CallPtr call, std::function<void()> job);
  // Waits for batch `min_batch` (0: none), then a board, then `job` where it may block.
  void ReadWithBoard(CallPtr call, int64_t min_batch, std::function<void(BoardPtr)> job);
  // Sends a command; `then` sees only outcomes that are done and no refusal.
  void Do(CallPtr call, Command command, std::function<void(const Outcome&)> then);

  const Tools& tools() const { return tools_; }
  db::ReadPool& database() const { return tools_.database; }
  // For whoever waits: the server fires it when it stops.
  std::shared_ptr<Signal> NewSignal() const { return tools_.waits.New(); }
  bool stopping() const { return tools_.stopping; }

 private:
  const Tools tools_;
};

}  // namespace pinka::api
