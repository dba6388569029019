#include "scheduler/api/tokens.h"

#include <utility>

#include "base/hash.h"

namespace pinka::api {
namespace {

constexpr int kTokenBytes = 32;

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

}  // namespace pinka::api
