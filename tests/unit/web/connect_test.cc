#include "scheduler/web/connect.h"

#include "gtest/gtest.h"
#include "pinka/v1/error.pb.h"
#include "pinka/v1/invoice.pb.h"
#include "pinka/v1/job.pb.h"
#include "pinka/v1/ledger.pb.h"
#include "pinka/v1/node.pb.h"
#include "pinka/v1/package.pb.h"
#include "pinka/v1/rental.pb.h"
#include "pinka/v1/standing.pb.h"
#include "scheduler/api/methods.h"
#include "scheduler/api/status_table.h"

namespace pinka::web {
namespace {

TEST(Connect, FindsTheMethodsOfMembersAndAdmins) {
  ASSERT_NE(UnaryMethod("/pinka.v1.JobService/ListJobs"), nullptr);
  ASSERT_NE(UnaryMethod("/pinka.v1.MonthService/CloseMonth"), nullptr);
  EXPECT_EQ(UnaryMethod("/pinka.v1.JobService/ListJobs")->full_name(),
            "pinka.v1.JobService.ListJobs");
}

TEST(Connect, HasNoWayToWhatAgentsCallToStreamsAndToNames) {
  for (const char* path :
       {"/pinka.v1.AgentService/Synchronize", "/pinka.v1.JobService/StreamLog",
        "/grpc.health.v1.Health/Check", "/pinka.v1.JobService/NoSuch", "/pinka.v1.JobService", "/",
        "", "pinka.v1.JobService/ListJobs", "//ListJobs", "/pinka.v1.JobService/"}) {
    EXPECT_EQ(UnaryMethod(path), nullptr) << path;
  }
}

// Of a library the linker takes only the files that something refers to.
void LinkEveryService() {
  v1::Invoice::descriptor();
  v1::Lot::descriptor();
  v1::Node::descriptor();
  v1::ListPackagesRequest::descriptor();
  v1::ListRentalsRequest::descriptor();
  v1::ShareLine::descriptor();
}

TEST(Connect, EveryUnaryMethodOfMembersIsThere) {
  LinkEveryService();
  for (const api::MethodRule& rule : api::MethodRules()) {
    if (rule.who == api::Who::kAgent || rule.method.starts_with("pinka.v1.AgentService.") ||
        rule.method.starts_with("grpc.") || rule.method.ends_with(".StreamLog"))
      continue;
    std::string path = "/" + std::string(rule.method);
    path[path.rfind('.')] = '/';
    EXPECT_NE(UnaryMethod(path), nullptr) << path;
  }
}

TEST(Connect, CarriesARequestAndSkipsWhatItDoesNotKnow) {
  const Method* method = UnaryMethod("/pinka.v1.JobService/GetJob");
  const auto bytes = RequestBytes(*method, R"({"jobId": "17", "withEnv": true, "later": [1]})");
  ASSERT_TRUE(bytes.ok());
  v1::GetJobRequest request;
  ASSERT_TRUE(request.ParseFromString(*bytes));
  EXPECT_EQ(request.job_id(), 17);
  EXPECT_TRUE(request.with_env());
}

TEST(Connect, RefusesWhatIsNoSuchMessage) {
  const Method* method = UnaryMethod("/pinka.v1.JobService/GetJob");
  for (const char* json : {"", "[]", "17", "{\"jobId\": \"x\"}", "{", "{\"jobId\": {}}", "null"}) {
    const auto bytes = RequestBytes(*method, json);
    EXPECT_FALSE(bytes.ok()) << json;
  }
}

TEST(Connect, GivesMarkupBackAsTheTextItIs) {
  const Method* method = UnaryMethod("/pinka.v1.JobService/GetJob");
  v1::GetJobResponse reply;
  reply.mutable_job()->set_id(9007199254740993);
  reply.mutable_job()->set_name("<img src=x onerror=alert(1)> 王芳 \"</script>");
  const auto json = ReplyJson(*method, reply.SerializeAsString());
  ASSERT_TRUE(json.ok());
  EXPECT_NE(json->find("\"9007199254740993\""), std::string::npos) << "64 bits travel as text";
  EXPECT_EQ(json->find("<img"), std::string::npos) << "no markup even where JSON is shown raw";
  EXPECT_NE(json->find("王芳"), std::string::npos);
}

TEST(Connect, SaysARefusalInItsOwnWordsWithTheTablesStatus) {
  v1::Error error;
  error.set_reason("Budget");
  error.set_message("the budget is short by ¥2.00");
  const HttpAnswer answer =
      ErrorAnswer({grpc::StatusCode::FAILED_PRECONDITION, "the budget is short by ¥2.00"},
                  error.SerializeAsString());
  EXPECT_EQ(answer.status, api::RowOfName("Budget")->http);
  EXPECT_NE(answer.body.find(R"("code":"failed_precondition")"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find("pinka.v1.Error"), std::string::npos);
  EXPECT_EQ(answer.body.find('='), std::string::npos) << "details are base64 without padding";
}

TEST(Connect, SaysWhatCameWithoutAReason) {
  const HttpAnswer answer = ErrorAnswer({grpc::StatusCode::UNAVAILABLE, "gone"}, "");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find(R"("message":"gone")"), std::string::npos) << answer.body;
}

}  // namespace
}  // namespace pinka::web
