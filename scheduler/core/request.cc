#include "scheduler/core/verbs.h"

namespace pinka {

std::optional<Reply> KnownRequest(const State& state, const Actor& actor,
                                  const RequestKey& request) {
  if (request.key.empty()) return std::nullopt;
  auto it = state.requests.find({actor.member, request.key});
  if (it == state.requests.end()) return std::nullopt;
  const RequestRow& row = it->second;
  if (row.body_hash != request.hash) {
    return Refuse(Reason::kConflict,
                  "the request id \"" + request.key +
                      "\" was used for another request; use a new one for a new request");
  }
  Reply reply;
  reply.repeated = true;
  reply.first = row.first;
  reply.count = row.count;
  return reply;
}

void Remember(State& state, const Actor& actor, const RequestKey& request, bool money,
              int64_t first, int64_t count) {
  if (request.key.empty()) return;
  const RequestRow row{actor.member, request.key, request.hash, state.now, money, first, count};
  state.requests.insert_or_assign({actor.member, request.key}, row);
  if (!money)
    state.request_ends.emplace(state.now + kKeepRequest, RequestId(actor.member, request.key));
  state.out.requests.push_back(row);
}

}  // namespace pinka
