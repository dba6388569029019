// The client against a scheduler of a few lines that loses answers and breaks streams.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "client/cli/commands.h"
#include "client/cli/core/api.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/log_follow.h"
#include "client/cli/core/session.h"
#include "pinka/v1/error.pb.h"
#include "pinka/v1/job.grpc.pb.h"

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

grpc::Status Refuse(grpc::ServerContext* context, grpc::StatusCode code, const v1::Error& error) {
  context->AddTrailingMetadata("pinka-error-bin", error.SerializeAsString());
  return {code, "bare text"};
}

class FakeJobs final : public v1::JobService::Service {
 public:
  grpc::Status SubmitJobs(grpc::ServerContext* context, const v1::SubmitJobsRequest* request,
                          v1::SubmitJobsResponse* response) override {
    const auto found = context->client_metadata().find("authorization");
    if (found != context->client_metadata().end()) {
      authorization = std::string(found->second.data(), found->second.size());
    }
    request_ids.push_back(request->request_id());
    if (request_ids.size() == 1) return {grpc::StatusCode::UNAVAILABLE, "answer lost"};
    if (request_ids.size() == 2) {
      v1::Error busy;
      busy.set_reason("Busy");
      busy.set_message("the inbox is full");
      busy.set_exit_code(1);
      busy.set_retry_after_ms(1);
      return Refuse(context, grpc::StatusCode::UNAVAILABLE, busy);
    }
    response->add_jobs()->set_job_id(17);
    return grpc::Status::OK;
  }

  grpc::Status GetJob(grpc::ServerContext* context, const v1::GetJobRequest*,
                      v1::GetJobResponse*) override {
    v1::Error error;
    error.set_reason("NoSuchJob");
    error.set_message("no such job 9");
    error.set_exit_code(4);
    return Refuse(context, grpc::StatusCode::NOT_FOUND, error);
  }

  // Breaks after every third byte.
  grpc::Status StreamLog(grpc::ServerContext*, const v1::StreamLogRequest* request,
                         grpc::ServerWriter<v1::LogChunk>* writer) override {
    offsets.push_back(request->offset());
    v1::LogChunk chunk;
    chunk.set_attempt(1);
    chunk.set_offset(request->offset());
    chunk.set_data(log.substr(static_cast<size_t>(request->offset()), 3));
    const bool last = request->offset() + 3 >= static_cast<int64_t>(log.size());
    chunk.set_last(last);
    if (last) chunk.set_mark("log ends at byte 8");
    writer->Write(chunk);
    return last ? grpc::Status::OK : grpc::Status(grpc::StatusCode::UNAVAILABLE, "cut");
  }

  // Two a page, whatever is asked for.
  grpc::Status ListJobs(grpc::ServerContext*, const v1::ListJobsRequest* request,
                        v1::ListJobsResponse* response) override {
    pages.emplace_back(request->after_job_id(), request->page_size());
    if (static_cast<int>(pages.size()) > good_pages) {
      return {grpc::StatusCode::INVALID_ARGUMENT, "enough"};
    }
    const int64_t last = std::min<int64_t>(request->after_job_id() + 2, 5);
    for (int64_t id = request->after_job_id() + 1; id <= last; ++id)
      response->add_jobs()->set_id(id);
    if (last < 5) response->set_next_after_job_id(last);
    return grpc::Status::OK;
  }

  std::vector<std::pair<int64_t, int32_t>> pages;
  int good_pages = 3;
  std::string log = std::string("a\xff\0b\xe4\xb8\xad\n", 8);
  std::string authorization;
  std::vector<std::string> request_ids;
  std::vector<int64_t> offsets;
};

class Wire : public ::testing::Test {
 protected:
  void SetUp() override {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&jobs_);
    server_ = builder.BuildAndStart();
    address_ = "127.0.0.1:" + std::to_string(port);
  }
  void TearDown() override { server_->Shutdown(); }

  Api MakeApi() {
    return Api({address_, "ipv4:" + address_, "t0ken", ""},
               [this](const std::string& line) { progress_.push_back(line); });
  }

  FakeJobs jobs_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
  std::vector<std::string> progress_;
};

TEST_F(Wire, SendsALostSubmitAgainUnderTheSameRequestId) {
  Api api = MakeApi();
  v1::SubmitJobsRequest request;
  request.set_request_id("k");
  const auto answer = api.SubmitJobs(request);
  ASSERT_TRUE(answer.ok()) << Message(answer.status());
  EXPECT_EQ(answer->jobs(0).job_id(), 17);
  EXPECT_THAT(jobs_.request_ids, ElementsAre("k", "k", "k"));
  EXPECT_EQ(jobs_.authorization, "Bearer t0ken");
  EXPECT_THAT(progress_, ElementsAre(HasSubstr("does not answer"), HasSubstr("busy"), ""));
}

TEST_F(Wire, BringsTheServersErrorHome) {
  Api api = MakeApi();
  const v1::Error error = ErrorOf(api.GetJob({}).status());
  EXPECT_EQ(error.reason(), "NoSuchJob");
  EXPECT_EQ(error.message(), "no such job 9");
  EXPECT_EQ(error.exit_code(), kExitNotFound);
}

TEST_F(Wire, GivesUpOnAServerThatIsNotThere) {
  server_->Shutdown();
  Api api = MakeApi();
  api.set_patience(Duration::Millis(100));
  EXPECT_EQ(ErrorOf(api.WhoAmI({}).status()).exit_code(), kExitUnreachable);
}

TEST_F(Wire, SaysWhatAnOlderServerDoesNotKnow) {
  Api api = MakeApi();
  EXPECT_THAT(ErrorOf(api.WhoAmI({}).status()).message(), HasSubstr("older"));
}

TEST_F(Wire, RefusesARequestThatIsTooLargeWithLimitAndSize) {
  Api api = MakeApi();
  v1::SubmitJobsRequest request;
  request.add_specs()->set_script(std::string(40 << 20, 'x'));
  const v1::Error error = ErrorOf(api.SubmitJobs(request).status());
  EXPECT_EQ(error.exit_code(), kExitUsage);
  EXPECT_THAT(error.message(), HasSubstr("bytes"));
  EXPECT_TRUE(jobs_.request_ids.empty());
}

TEST_F(Wire, FollowsALogOverBrokenStreamsByteForByte) {
  Globals globals;
  globals.server = address_;
  Session session(globals, Terminal{});
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const Status status = PrintLog(session, {.task = "17", .attempt = 1, .follow = true});
  const std::string out = ::testing::internal::GetCapturedStdout();
  const std::string err = ::testing::internal::GetCapturedStderr();
  ASSERT_TRUE(status.ok()) << Message(status);
  EXPECT_EQ(out, jobs_.log);
  EXPECT_EQ(err, "pinka: log ends at byte 8\n");
  EXPECT_THAT(jobs_.offsets, ElementsAre(0, 3, 6));
}

// What `pinka ls --json` prints, and how it ends.
std::pair<std::string, bool> PrintedList(const std::string& server) {
  Globals globals;
  globals.server = server;
  globals.json = true;
  Session session(globals, Terminal{});
  ::testing::internal::CaptureStdout();
  const bool ok = MakeLs()->Run(session).ok();
  session.out().Flush();
  return {::testing::internal::GetCapturedStdout(), ok};
}

TEST_F(Wire, ListsAllPagesInTheirOrder) {
  const auto [out, ok] = PrintedList(address_);
  EXPECT_TRUE(ok);
  EXPECT_THAT(jobs_.pages, ElementsAre(Pair(0, 1'000), Pair(2, 5'000), Pair(4, 5'000)));
  size_t at = 0;
  for (const char* id :
       {R"("id":"1")", R"("id":"2")", R"("id":"3")", R"("id":"4")", R"("id":"5")"}) {
    at = out.find(id, at);
    EXPECT_NE(at, std::string::npos) << id << " in " << out;
  }
  EXPECT_THAT(out, ::testing::EndsWith("]}\n"));
}

TEST_F(Wire, SaysWhenALaterPageFails) {
  jobs_.good_pages = 1;
  EXPECT_FALSE(PrintedList(address_).second);
  EXPECT_EQ(jobs_.pages.size(), 2u);
}

}  // namespace
}  // namespace pinka::cli
