// Asks a running scheduler for every kind of advice: advice_calls SERVER TOKEN prints a line for
// each method, its name and its answer as JSON. The command line answers most of them by itself.
#include <google/protobuf/util/json_util.h>
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <string>

#include "pinka/v1/advice.grpc.pb.h"

namespace pinka {
namespace {

using Stub = v1::AdviceService::Stub;

class Caller {
 public:
  Caller(const std::string& server, std::string token)
      : stub_(grpc::CreateChannel(server, grpc::InsecureChannelCredentials())),
        token_(std::move(token)) {}

  template <class Request, class Response>
  bool Ask(const char* name,
           grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
           const Request& request) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token_);
    Response response;
    const grpc::Status status = (stub_.*method)(&context, request, &response);
    if (!status.ok()) {
      std::fprintf(stderr, "%s: %s\n", name, status.error_message().c_str());
      return false;
    }
    std::string json;
    const bool printed = google::protobuf::util::MessageToJsonString(response, &json).ok();
    std::printf("%s %s\n", name, json.c_str());
    return printed;
  }

 private:
  Stub stub_;
  std::string token_;
};

bool AskMemoryAndCards(Caller& caller) {
  v1::AdviseMemoryRequest memory;
  memory.mutable_workload()->set_network("bert-base");
  memory.set_guide_input_gb(1.2);
  v1::AdviseCardRequest card;
  card.mutable_workload()->set_network("resnet-50");
  return caller.Ask("ListCards", &Stub::ListCards, v1::ListCardsRequest()) &&
         caller.Ask("AdviseMemory", &Stub::AdviseMemory, memory) &&
         caller.Ask("AdviseCard", &Stub::AdviseCard, card);
}

// The guide's reckoning: 8 h x 0.17 kW x 0.8 against 2 h x 6.
bool AskCost(Caller& caller) {
  constexpr int64_t kHourMs = 3'600'000;
  v1::AdviseCostRequest cost;
  cost.set_local_ms(8 * kHourMs);
  cost.set_watts(170);
  cost.set_kwh("0.8");
  cost.set_cloud_ms(2 * kHourMs);
  cost.set_rate("6");
  return caller.Ask("AdviseCost", &Stub::AdviseCost, cost);
}

bool AskTheRest(Caller& caller) {
  v1::AdviseCompatRequest compat;
  compat.set_card("t4");
  v1::AdvisePlanRequest plan;
  plan.add_work()->set_tier("a100-80");
  plan.mutable_work(0)->set_unit_hours(1'000);
  return caller.Ask("AdviseCompat", &Stub::AdviseCompat, compat) &&
         caller.Ask("ListProviders", &Stub::ListProviders, v1::ListProvidersRequest()) &&
         caller.Ask("AdvisePlan", &Stub::AdvisePlan, plan);
}

}  // namespace
}  // namespace pinka

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  pinka::Caller caller(argv[1], argv[2]);
  const bool all =
      pinka::AskMemoryAndCards(caller) && pinka::AskCost(caller) && pinka::AskTheRest(caller);
  return all ? 0 : 1;
}
