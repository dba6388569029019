#include "agent/spot_watch.h"

#include <fmt/format.h>
#include <httplib.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

#include "agent/inspect/run_program.h"
#include "base/parse.h"

namespace pinka {
namespace {

constexpr Duration kPatience = Duration::Seconds(2);
constexpr Duration kProgramPatience = Duration::Seconds(10);
constexpr size_t kMostBytes = size_t{64} << 10;  // more is no answer to such a question
constexpr size_t kMostWord = 1'024;              // a token, a name

struct Reply {
  int status = 0;  // 0: there was none
  std::string body;
  std::string trouble;
};

Reply Request(const SpotSource& source, const std::string& method, const std::string& path,
              const httplib::Headers& headers) {
  Reply reply;
  const SystemClock clock;
  const Duration until = clock.Boottime() + kPatience;
  httplib::Client client(source.host, source.port);
  const std::chrono::microseconds patience(kPatience.micros());
  client.set_connection_timeout(patience);
  client.set_read_timeout(patience);
  client.set_write_timeout(patience);
  httplib::Request request;
  request.method = method;
  request.path = source.prefix + path;
  request.headers = headers;
  // What drips in is not waited for.
  request.content_receiver = [&](const char* data, size_t size, uint64_t, uint64_t) {
    reply.body.append(data, size);
    return reply.body.size() <= kMostBytes && clock.Boottime() < until;
  };
  const httplib::Result result = client.send(request);
  if (result) {
    reply.status = result->status;
  } else if (result.error() == httplib::Error::Canceled) {
    reply.trouble = "its answer is too long or too slow";
  } else {
    const bool away = result.error() == httplib::Error::Connection ||
                      result.error() == httplib::Error::ConnectionTimeout;
    reply.trouble =
        away ? "it cannot be reached" : "it does not answer within " + FormatDuration(kPatience);
  }
  return reply;
}

// What a header may hold, or a name.
bool IsWord(const std::string& text) {
  return !text.empty() && text.size() <= kMostWord &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

SpotAnswer Trouble(const std::string& what) {
  SpotAnswer answer;
  answer.kind = SpotAnswer::Kind::kTrouble;
  answer.trouble = what;
  return answer;
}

}  // namespace

void SpotWatch::Start(std::function<void()> changed) {
  changed_ = std::move(changed);
  thread_ = std::jthread([this](std::stop_token stop) { Loop(stop); });
}

std::optional<SpotReclaim> SpotWatch::reclaim() const {
  std::lock_guard lock(mutex_);
  return standing_.reclaim();
}

void SpotWatch::Loop(std::stop_token stop) {
  while (!stop.stop_requested()) {
    const SpotAnswer answer = Ask();
    Tell(answer);
    std::unique_lock lock(mutex_);
    const bool changed = standing_.Take(answer, clock_.Now(), clock_.Boottime());
    lock.unlock();
    if (changed) changed_();
    // Half as often as long as it does not answer.
    const bool trouble = answer.kind == SpotAnswer::Kind::kTrouble;
    const std::chrono::microseconds pause(every_.micros() * (trouble ? 2 : 1));
    lock.lock();
    wake_.wait_for(lock, stop, pause, [] { return false; });
  }
}

void SpotWatch::Tell(const SpotAnswer& answer) {
  if (answer.trouble == complaint_) return;
  complaint_ = answer.trouble;
  if (complaint_.empty()) {
    spdlog::info("{} answers again", Whom());
  } else {
    spdlog::warn("nobody says whether this box is taken away: {}: {}", Whom(), complaint_);
  }
}

std::string SpotWatch::Whom() const {
  if (source_.service == nullptr) return source_.program;
  return fmt::format("the metadata service of {} at {}:{}", source_.service->name, source_.host,
                     source_.port);
}

SpotAnswer SpotWatch::Ask() const {
  return source_.service != nullptr ? AskService(*source_.service) : AskProgram();
}

SpotAnswer SpotWatch::AskService(const SpotService& service) const {
  const SpotService::First& first = service.first;
  std::string word;
  if (*first.method != '\0') {
    Reply reply =
        Request(source_, first.method, first.path, {{first.header.name, first.header.value}});
    if (reply.status == 200 && IsWord(reply.body)) {
      word = std::move(reply.body);
    } else if (first.must) {
      return Trouble(!reply.trouble.empty()
                         ? reply.trouble
                         : fmt::format("it gives no token, but status {}", reply.status));
    }
  }
  httplib::Headers headers;
  if (*service.header.name != '\0') headers.emplace(service.header.name, service.header.value);
  const bool token = *first.token_header != '\0';
  if (token && !word.empty()) headers.emplace(first.token_header, word);
  const Reply reply = Request(source_, "GET", service.path, headers);
  if (!reply.trouble.empty()) return Trouble(reply.trouble);
  return service.read(reply.status, reply.body, token ? "" : word, clock_.Now());
}

SpotAnswer SpotWatch::AskProgram() const {
  const inspect::Outcome outcome =
      inspect::RunProgram({source_.program}, kProgramPatience, inspect::Streams::kOutput);
  if (outcome.timed_out)
    return Trouble("it does not end within " + FormatDuration(kProgramPatience));
  return ReadSpotProgram(outcome.status, outcome.output, clock_.Now());
}

}  // namespace pinka
