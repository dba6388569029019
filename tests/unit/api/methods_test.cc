#include "scheduler/api/methods.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "pinka/v1/admin.pb.h"
#include "pinka/v1/agent.pb.h"
#include "pinka/v1/error.pb.h"
#include "pinka/v1/files.pb.h"
#include "pinka/v1/invoice.pb.h"
#include "pinka/v1/job.pb.h"
#include "pinka/v1/ledger.pb.h"
#include "pinka/v1/node.pb.h"
#include "pinka/v1/report.pb.h"
#include "pinka/v1/standing.pb.h"
#include "scheduler/api/auth.h"

namespace pinka::api {
namespace {

// So that their files are linked in.
void LinkAll() {
  v1::ListMembersRequest::descriptor();
  v1::Payload::descriptor();
  v1::Error::descriptor();
  v1::FileSet::descriptor();
  v1::Invoice::descriptor();
  v1::Job::descriptor();
  v1::Lot::descriptor();
  v1::Node::descriptor();
  v1::UsageRow::descriptor();
  v1::ShareLine::descriptor();
}

// Every method of every service in proto/pinka/v1.
std::set<std::string> AllMethods() {
  LinkAll();
  std::set<std::string> methods;
  const auto* pool = google::protobuf::DescriptorPool::generated_pool();
  for (const auto& entry : std::filesystem::directory_iterator(PINKA_PROTO_DIR "/pinka/v1")) {
    const std::string name = "pinka/v1/" + entry.path().filename().string();
    const auto* file = pool->FindFileByName(name);
    EXPECT_NE(file, nullptr) << name << " is not known to this test";
    if (file == nullptr) continue;
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m)
        methods.insert(file->service(s)->method(m)->full_name());
    }
  }
  return methods;
}

TEST(Methods, EachHasARule) {
  const std::set<std::string> methods = AllMethods();
  EXPECT_GE(methods.size(), 29u);
  for (const std::string& method : methods)
    EXPECT_NE(RuleOf(method), nullptr) << method << " has no rule: who may call it?";
}

TEST(Methods, EachRuleHasAMethod) {
  const std::set<std::string> methods = AllMethods();
  std::set<std::string_view> seen;
  for (const MethodRule& rule : MethodRules()) {
    EXPECT_TRUE(seen.insert(rule.method).second) << rule.method << " has two rules";
    const bool ours = rule.method.starts_with("pinka.");
    EXPECT_TRUE(!ours || methods.contains(std::string(rule.method))) << rule.method;
  }
}

TEST(Methods, NobodyCallsOursWithoutAToken) {
  for (const MethodRule& rule : MethodRules()) {
    const bool ours = rule.method.starts_with("pinka.");
    // A join token in the message is what lets a new box in.
    const bool joins = rule.method == "pinka.v1.AgentService.Join";
    EXPECT_EQ(ours && !joins, rule.who != Who::kAnybody) << rule.method;
  }
}

TEST(Methods, AgentsAndMembersKeepToTheirOwn) {
  const Principal agent{{}, "n1", false, "n1", {}};
  const Principal false_admin{{}, "n1", true, "n1", {}};
  const Principal member{MemberId(1), "bob", false, "", {}};
  const Principal admin{MemberId(2), "ann", true, "", {}};
  for (const MethodRule& rule : MethodRules()) {
    if (rule.who == Who::kAnybody) continue;
    if (rule.who == Who::kCarrier) {  // blobs, by names that are not guessed
      EXPECT_TRUE(rule.method.ends_with("Blob") || rule.method.ends_with("FindMissing"));
      continue;
    }
    const bool for_agents = rule.method.starts_with("pinka.v1.AgentService.") ||
                            rule.method == "pinka.v1.FilesService.KeepFiles" ||
                            rule.method == "pinka.v1.FilesService.FindCheckpoint";
    EXPECT_EQ(MayCall(rule, agent).ok(), for_agents) << rule.method;
    EXPECT_EQ(MayCall(rule, false_admin).ok(), for_agents) << rule.method;
    EXPECT_EQ(MayCall(rule, admin).ok(), !for_agents) << rule.method;
    EXPECT_EQ(MayCall(rule, member).ok(), !for_agents && rule.who != Who::kAdmin) << rule.method;
  }
}

TEST(Methods, WhatChangesTheLabIsForAdmins) {
  for (const MethodRule& rule : MethodRules()) {
    EXPECT_TRUE(rule.whose != Whose::kLabs || rule.who == Who::kAdmin) << rule.method;
  }
}

}  // namespace
}  // namespace pinka::api
