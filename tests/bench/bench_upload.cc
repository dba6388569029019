// A checkpoint on its way into the lab's store: bytes a second of an upload as the agent does it
// (the same packing, hashing and calls, to a real FilesService with a directory of blobs, each
// durable when it answers), beside the same files through a bare client-streaming method that
// discards them, in the same run. Then the same content again, of which nothing has to be sent, and
// what the parts cost alone. PINKA_BENCH_MB of incompressible files, 1,024 by default. Nothing is
// asserted.
#include <fcntl.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/support/sync_stream.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include "agent/file_keeper.h"
#include "agent/scheduler_client.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/parse.h"
#include "files/carry.h"
#include "files/walk.h"
#include "fmt/format.h"
#include "scheduler/api/file_shelf.h"
#include "tests/support/whole_scheduler.h"

namespace pinka {
namespace {

constexpr int kPairs = 3;
constexpr int64_t kMb = 1'000'000;
constexpr int64_t kFileBytes = 64 * kMb;  // as a sharded checkpoint has them
constexpr char kSinkMethod[] = "/bench/Sink";

// Reads all that comes, keeps nothing, answers once.
class Sink final : public grpc::CallbackGenericService {
  class Reactor final : public grpc::ServerGenericBidiReactor {
   public:
    Reactor() { StartRead(&bytes_); }
    void OnReadDone(bool ok) override {
      if (ok) return StartRead(&bytes_);
      const grpc::Slice nothing;
      bytes_ = grpc::ByteBuffer(&nothing, 1);
      StartWriteAndFinish(&bytes_, grpc::WriteOptions(), grpc::Status::OK);
    }
    void OnDone() override { delete this; }

   private:
    grpc::ByteBuffer bytes_;
  };
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new Reactor;
  }
};

double Now() { return static_cast<double>(SystemClock().Monotonic().micros()) / 1e6; }

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

class Bench {
 public:
  Status Start() {
    if (const char* mb = std::getenv("PINKA_BENCH_MB")) {
      const StatusOr<int64_t> given = ParseInt(mb, 1, 1'000'000, "PINKA_BENCH_MB");
      if (!given.ok()) return given.status();
      bytes_ = *given * kMb;
    }
    auto world = WholeScheduler::Start();
    if (!world.ok()) return world.status();
    world_ = *std::move(world);
    client_ =
        std::make_unique<SchedulerClient>(SchedulerAddress{world_->target(), ""}, world_->token());
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(&sink_);
    builder.SetMaxReceiveMessageSize(-1);
    sink_server_ = builder.BuildAndStart();
    sink_channel_ = grpc::CreateChannel(fmt::format("ipv4:127.0.0.1:{}", port),
                                        grpc::InsecureChannelCredentials());
    char directory[] = "/tmp/pinka-bench-XXXXXX";
    if (!mkdtemp(directory)) return Internal("no directory for the files");
    directory_ = directory;
    return OkStatus();
  }

  ~Bench() {
    if (sink_server_) sink_server_->Shutdown();
    if (!directory_.empty()) (void)RemoveTree(directory_);
  }

  // Other content each time: the store has none of it.
  Status Fill(uint64_t seed) {
    if (Status s = RemoveTree(directory_); !s.ok()) return s;
    if (Status s = MakeDirectories(directory_); !s.ok()) return s;
    std::mt19937_64 random(seed);
    std::string content;
    for (int64_t done = 0; done < bytes_; done += kFileBytes) {
      content.resize(static_cast<size_t>(std::min(kFileBytes, bytes_ - done)));
      for (size_t at = 0; at + 8 <= content.size(); at += 8) {
        const uint64_t word = random();
        content.replace(at, 8, reinterpret_cast<const char*>(&word), 8);
      }
      const std::string path = fmt::format("{}/shard-{:05}", directory_, done / kFileBytes);
      if (Status s = WriteFileDurably(path, content); !s.ok()) return s;
    }
    return OkStatus();
  }

  // As FileKeeper sends a generation, and KeepFiles looks through it.
  StatusOr<double> Upload() {
    const double began = Now();
    Carrier carrier(
        [this](const auto& hashes) { return client_->FindMissing(hashes); },
        [this](const auto& hash, const auto& bytes) { return client_->PutBlob(hash, bytes); },
        FileKeeper::kBlobsAtOnce);
    Packer packer(&carrier, {});
    if (Status s = PackDirectory(directory_, &packer); !s.ok()) return s;
    StatusOr<PackedTree> tree = packer.Finish();
    if (!tree.ok()) return tree.status();
    StatusOr<TreeSize> size = api::CheckTree(world_->blobs(), tree->root);
    if (!size.ok()) return size.status();
    if (size->bytes != bytes_) return Internal("not all of it arrived");
    return PerSecond(began);
  }

  StatusOr<double> Stream() {
    const double began = Now();
    grpc::ClientContext context;
    v1::PutBlobResponse response;
    const grpc::internal::RpcMethod method(kSinkMethod, grpc::internal::RpcMethod::CLIENT_STREAMING,
                                           sink_channel_);
    const std::unique_ptr<grpc::ClientWriter<v1::PutBlobRequest>> writer(
        grpc::internal::ClientWriterFactory<v1::PutBlobRequest>::Create(sink_channel_.get(), method,
                                                                        &context, &response));
    v1::PutBlobRequest request;
    const Status sent = EachChunk([&](std::string chunk) {
      request.set_data(std::move(chunk));
      return writer->Write(request);
    });
    writer->WritesDone();
    const grpc::Status status = writer->Finish();
    if (!sent.ok()) return sent;
    if (!status.ok()) return Internal(status.error_message());
    return PerSecond(began);
  }

  StatusOr<double> Hash() {
    const double began = Now();
    const Status done =
        EachChunk([](const std::string& chunk) { return !Sha256Hex(chunk).empty(); });
    if (!done.ok()) return done;
    return PerSecond(began);
  }

  // What the store does with a blob, by hand: a file synced, named, and its directory synced.
  StatusOr<double> Write() {
    const std::string beside = directory_ + "-written";
    if (Status s = MakeDirectories(beside); !s.ok()) return s;
    const double began = Now();
    int64_t n = 0;
    const Status done = EachChunk([&](const std::string& chunk) {
      return WriteFileDurably(fmt::format("{}/{}", beside, ++n), chunk).ok();
    });
    const double per_second = PerSecond(began);
    (void)RemoveTree(beside);
    if (!done.ok()) return done;
    return per_second;
  }

  int64_t bytes() const { return bytes_; }

 private:
  double PerSecond(double began) const {
    return static_cast<double>(bytes_) / static_cast<double>(kMb) / (Now() - began);
  }

  // The files in the store's chunks; false ends it.
  Status EachChunk(const std::function<bool(std::string)>& each) const {
    for (int64_t n = 0; n * kFileBytes < bytes_; ++n) {
      const Fd fd(open(fmt::format("{}/shard-{:05}", directory_, n).c_str(), O_RDONLY | O_CLOEXEC));
      if (!fd.valid()) return Internal("a file of the bench is gone");
      while (true) {
        std::string chunk(kMostBlob, '\0');
        const ssize_t got = read(fd.get(), chunk.data(), chunk.size());
        if (got < 0) return Internal("a file of the bench cannot be read");
        if (got == 0) break;
        chunk.resize(static_cast<size_t>(got));
        if (!each(std::move(chunk))) return Internal("a chunk was not taken");
      }
    }
    return OkStatus();
  }

  int64_t bytes_ = 1'024 * kMb;
  std::unique_ptr<WholeScheduler> world_;
  std::unique_ptr<SchedulerClient> client_;
  Sink sink_;
  std::unique_ptr<grpc::Server> sink_server_;
  std::shared_ptr<grpc::Channel> sink_channel_;
  std::string directory_;
};

void Print(const char* what, double per_second) {
  fmt::print("{:<44} {:>7.0f} MB/s\n", what, per_second);
  std::fflush(stdout);
}

Status Run() {
  Bench bench;
  if (Status s = bench.Start(); !s.ok()) return s;
  fmt::print("{} MB in files of {} MB\n", bench.bytes() / kMb, kFileBytes / kMb);
  std::vector<double> streams, uploads, agains, ratios, hashes, writes;
  const auto take = [](StatusOr<double> figure, std::vector<double>* into) {
    if (figure.ok()) into->push_back(*figure);
    return figure.status();
  };
  for (uint64_t pair = 1; pair <= kPairs; ++pair) {
    if (Status s = bench.Fill(pair); !s.ok()) return s;
    if (Status s = take(bench.Stream(), &streams); !s.ok()) return s;
    if (Status s = take(bench.Upload(), &uploads); !s.ok()) return s;
    if (Status s = take(bench.Upload(), &agains); !s.ok()) return s;
    if (Status s = take(bench.Hash(), &hashes); !s.ok()) return s;
    if (Status s = take(bench.Write(), &writes); !s.ok()) return s;
    ratios.push_back(uploads.back() / streams.back());
    fmt::print("pair {}: stream {:.0f}, upload {:.0f} MB/s, ratio {:.2f}\n", pair, streams.back(),
               uploads.back(), ratios.back());
    std::fflush(stdout);
  }
  Print("bare gRPC stream, discarded", Median(streams));
  Print("upload", Median(uploads));
  Print("the same content again", Median(agains));
  Print("SHA-256 alone, one thread", Median(hashes));
  Print("files of a chunk, synced, one at a time", Median(writes));
  fmt::print("{:<44} {:>7.2f}\n", "upload / bare stream", Median(ratios));
  return OkStatus();
}

}  // namespace
}  // namespace pinka

int main() {
  const pinka::Status status = pinka::Run();
  if (status.ok()) return 0;
  fmt::print(stderr, "{}\n", pinka::Message(status));
  return 1;
}
