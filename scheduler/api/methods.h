// Who may call what: one rule for each RPC method of every service. A method without a rule can not
// be called, and a test walks all service descriptors to find one.
#pragma once

#include <span>
#include <string_view>

namespace pinka::api {

enum class Who : int8_t {
  kAnybody,  // without a token
  kMember,   // any member of the lab
  kAdmin,
  kAgent,    // an agent, for the node its token is bound to
  kCarrier,  // a member or an agent: who brings and fetches blobs
};

// Whose data a call may touch.
enum class Whose : int8_t {
  kNobodys,   // facts of the lab that everybody knows
  kOwnQueue,  // own jobs; of others what the openness table shows
  kOwn,       // own things; admins: everybody's
  kLabs,      // the lab itself
  kNodes,     // work ordered on the agent's node
};

struct MethodRule {
  std::string_view method;  // "pinka.v1.JobService.GetJob"
  Who who;
  Whose whose;
};

std::span<const MethodRule> MethodRules();
const MethodRule* RuleOf(std::string_view method);  // null: no rule

}  // namespace pinka::api
