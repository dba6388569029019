#include "scheduler/api/tokens.h"

#include <utility>

#include "base/hash.h"

namespace pinka::api {
namespace {

constexpr int kTokenBytes = 32;
constexpr int kJoinBytes = 16;  // works once, for a short time

}  // namespace

std::string NewToken(Random& random) { return "pinka_" + random.Hex(kTokenBytes); }

void MakeToken(Desk& desk, CallPtr call, const RequestKey& request, TokenRow row,
               std::function<void(const std::string&)> then) {
  const std::string token = NewToken(desk.tools().random);
  row.hash = Sha256Hex(token);
  AddToken command{call->actor(), request, row};
  desk.Do(call, std::move(command), [=, &desk](const Outcome& outcome) {
    if (!outcome.reply.repeated) return then(token);
    MakeToken(desk, call, {}, row, then);
  });
}

void MakeJoinToken(Desk& desk, CallPtr call, const RequestKey& request, AddNode node,
                   std::function<void(const std::string&)> then) {
  const std::string secret = "pinka_join_" + desk.tools().random.Hex(kJoinBytes);
  node.request = request;
  node.join_hash = Sha256Hex(secret);
  desk.Do(call, node, [=, &desk](const Outcome& outcome) {
    if (outcome.reply.repeated) return MakeJoinToken(desk, call, {}, node, then);
    const std::string& pin = desk.tools().way_in.ca_pin;
    then(pin.empty() ? secret : secret + "." + pin);
  });
}

}  // namespace pinka::api
