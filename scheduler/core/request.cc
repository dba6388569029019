#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

bool HasExpired(const State& state, const RequestRow& row) {
  return !row.money && row.at + kKeepRequest <= state.now;
}

}  // namespace

std::optional<Reply> KnownRequest(const State& state, const Actor& actor,
                                  const RequestKey& request) {
  if (request.key.empty()) return std::nullopt;
  auto it = state.requests.find({actor.member, request.key});
  if (it == state.requests.end()) return std::nullopt;
  const RequestRow& row = it->second;
  if (HasExpired(state, row)) return std::nullopt;
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

std::string ExpiredNote(const State& state, const Actor& actor, const RequestKey& request) {
  auto it = state.requests.find({actor.member, request.key});
  if (it == state.requests.end() || !HasExpired(state, it->second)) return "";
  return "the request id \"" + request.key +
         "\" was used more than 24 hours ago: this is a new job";
}

void Remember(State& state, const Actor& actor, const RequestKey& request, bool money,
              int64_t first, int64_t count) {
  if (request.key.empty()) return;
  auto known = state.requests.find({actor.member, request.key});
  if (known != state.requests.end())
    state.request_ends.erase({known->second.at + kKnowRequest, known->first});
  const RequestRow row{actor.member, request.key, request.hash, state.now, money, first, count};
  state.requests.insert_or_assign({actor.member, request.key}, row);
  if (!money)
    state.request_ends.emplace(state.now + kKnowRequest, RequestId(actor.member, request.key));
  state.out.requests.push_back(row);
}

}  // namespace pinka
