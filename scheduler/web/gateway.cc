#include "scheduler/web/gateway.h"

#include <httplib.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/api/server.h"
#include "scheduler/web/assets.h"
#include "scheduler/web/calls.h"
#include "scheduler/web/session.h"
#include "spdlog/spdlog.h"

namespace pinka::web {
namespace {

constexpr size_t kMostBody = size_t{8} << 20;
constexpr const char* kJson = "application/json";
constexpr const char* kText = "text/plain; charset=utf-8";

// Nothing from elsewhere, no script or style that is not a file of ours, no frame around us.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src "
    "'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'";

// The views of `Headers` are into these strings.
struct RequestHeaders {
  explicit RequestHeaders(const httplib::Request& request)
      : authorization(request.get_header_value("Authorization")),
        cookie(request.get_header_value("Cookie")),
        content_type(request.get_header_value("Content-Type")),
        host(request.get_header_value("Host")),
        origin(request.get_header_value("Origin")),
        fetch_site(request.get_header_value("Sec-Fetch-Site")) {}
  Headers view() const { return {authorization, cookie, content_type, host, origin, fetch_site}; }
  std::string authorization, cookie, content_type, host, origin, fetch_site;
};

void Answer(const HttpAnswer& answer, httplib::Response& response) {
  response.status = answer.status;
  response.set_header("Cache-Control", "no-store");
  response.set_content(answer.body, kJson);
}

void Refuse(const Status& status, grpc::StatusCode code, httplib::Response& response) {
  Answer(ErrorAnswer({code, Message(status)}, ""), response);
}

int64_t NumberOf(const httplib::Request& request, const char* name) {
  const auto number = ParseInt(request.get_param_value(name), 0, INT64_MAX, name);
  return number.ok() ? *number : 0;
}

void ServeAsset(const Assets& assets, const httplib::Request& request,
                httplib::Response& response) {
  const Asset* asset = assets.Find(request.path);
  if (!asset) {
    response.status = 404;
    return response.set_content("There is no such file here.\n", kText);
  }
  response.set_header("ETag", asset->etag);
  response.set_header("Cache-Control", asset->cache_control);
  if (request.get_header_value("If-None-Match") == asset->etag) {
    response.status = 304;
    return;
  }
  response.set_content(asset->body, asset->type);
}

}  // namespace

struct Gateway::State {
  State(const GatewayOptions& o, GatewayParts p)
      : options(o), parts(std::move(p)), assets(o.assets) {}

  void Routes();
  void Call(const httplib::Request& request, httplib::Response& response) const;
  void LogIn(const httplib::Request& request, httplib::Response& response) const;
  void Log(const httplib::Request& request, httplib::Response& response) const;

  const GatewayOptions options;
  const GatewayParts parts;
  const Assets assets;
  httplib::Server server;
  std::thread thread;
};

void Gateway::State::Call(const httplib::Request& request, httplib::Response& response) const {
  const RequestHeaders headers(request);
  if (Status s = CheckPost(headers.view()); !s.ok())
    return Refuse(s, grpc::StatusCode::PERMISSION_DENIED, response);
  const Method* method = UnaryMethod(request.path);
  if (!method) {
    return Refuse(NotFound(fmt::format("no method {}", request.path)),
                  grpc::StatusCode::UNIMPLEMENTED, response);
  }
  Answer(CallUnary(parts.services, *method, AuthorizationOf(headers.view()), request.body),
         response);
}

void Gateway::State::LogIn(const httplib::Request& request, httplib::Response& response) const {
  const RequestHeaders headers(request);
  if (Status s = CheckPost(headers.view()); !s.ok())
    return Refuse(s, grpc::StatusCode::PERMISSION_DENIED, response);
  const std::string token = TokenOfJson(request.body);
  if (!IsTokenText(token)) {
    return Refuse(Invalid("that is no token; `pinka admin member token NAME` makes one"),
                  grpc::StatusCode::UNAUTHENTICATED, response);
  }
  const HttpAnswer who = WhoAmI(parts.services, "Bearer " + token);
  if (who.status == 200) response.set_header("Set-Cookie", SessionCookie(token, false));
  Answer(who, response);
}

void Gateway::State::Log(const httplib::Request& request, httplib::Response& response) const {
  const RequestHeaders headers(request);
  LogAsked asked;
  asked.task = request.matches[1];
  asked.attempt = static_cast<int>(std::min<int64_t>(NumberOf(request, "attempt"), 1'000'000));
  asked.offset = NumberOf(request, "offset");
  asked.tail_lines = NumberOf(request, "tail");
  auto reader = std::make_shared<LogReader>(parts.services, AuthorizationOf(headers.view()), asked);
  const HttpAnswer begun = reader->Begin();
  if (begun.status != 200) return Answer(begun, response);
  response.set_header("Cache-Control", "no-store");
  response.set_header("X-Pinka-Attempt", std::to_string(reader->attempt()));
  response.set_header("X-Pinka-Offset", std::to_string(reader->offset()));
  response.set_header("X-Pinka-Task-State", reader->task_state());
  if (request.has_param("download")) {
    response.set_header("Content-Disposition",
                        fmt::format("attachment; filename=\"{}.log\"", asked.task));
  }
  response.set_chunked_content_provider(kText, [reader](size_t, httplib::DataSink& sink) {
    const auto bytes = reader->Next();
    if (!bytes) {
      sink.done();
      return true;
    }
    return bytes->empty() || sink.write(bytes->data(), bytes->size());
  });
}

void Gateway::State::Routes() {
  server.new_task_queue = [n = options.threads] {
    return new httplib::ThreadPool(static_cast<size_t>(n));
  };
  server.set_keep_alive_timeout(1);
  server.set_payload_max_length(kMostBody);
  server.set_default_headers({{"Content-Security-Policy", kPolicy},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Referrer-Policy", "same-origin"},
                              {"Cross-Origin-Opener-Policy", "same-origin"}});
  server.set_exception_handler([](const auto&, auto& response, std::exception_ptr) {
    Refuse(Internal("the gateway met a fault of its own"), grpc::StatusCode::INTERNAL, response);
  });
  server.Get("/healthz", [](const auto&, auto& response) { response.set_content("ok\n", kText); });
  server.Get("/readyz", [this](const auto&, auto& response) {
    const bool ready = parts.ready();
    response.status = ready ? 200 : 503;
    response.set_content(ready ? "ready\n" : "not ready: the scheduler does not lead\n", kText);
  });
  server.Get("/metrics", [this](const auto&, auto& response) {
    const std::string text = parts.metrics ? parts.metrics() : "";
    response.status = text.empty() ? 503 : 200;
    response.set_content(text, "text/plain; version=0.0.4; charset=utf-8");
  });
  server.Post("/session", [this](const auto& in, auto& out) { LogIn(in, out); });
  server.Delete("/session", [](const auto&, auto& response) {
    response.set_header("Set-Cookie", SessionCookie("", false));
    Answer({.status = 200, .body = "{}"}, response);
  });
  server.Get(R"(/logs/(\d+(?:_\d+)?))", [this](const auto& in, auto& out) { Log(in, out); });
  server.Post(R"(/pinka\.v1\.\w+/\w+)", [this](const auto& in, auto& out) { Call(in, out); });
  server.Get(".*", [this](const auto& in, auto& out) { ServeAsset(assets, in, out); });
}

Gateway::Gateway() = default;
Gateway::~Gateway() { Stop(); }

StatusOr<std::unique_ptr<Gateway>> Gateway::Start(const GatewayOptions& options,
                                                  GatewayParts parts) {
  if (Status s = api::CheckListen(options.listen); !s.ok()) return s;
  const size_t colon = options.listen.rfind(':');
  const std::string host = options.listen.substr(0, colon);
  const auto port = ParseInt(options.listen.substr(colon + 1), 0, 65'535, "port");
  if (!port.ok()) return port.status();
  std::unique_ptr<Gateway> out(new Gateway());
  out->state_ = std::make_unique<State>(options, std::move(parts));
  State& state = *out->state_;
  state.Routes();
  const int bound = *port == 0 ? state.server.bind_to_any_port(host)
                    : state.server.bind_to_port(host, static_cast<int>(*port))
                        ? static_cast<int>(*port)
                        : -1;
  if (bound < 0)
    return Invalid(
        fmt::format("the page cannot listen on {}; does another program use it?", options.listen));
  out->address_ = fmt::format("{}:{}", host, bound);
  state.thread = std::thread([&state] { state.server.listen_after_bind(); });
  while (!state.server.is_running()) std::this_thread::yield();  // else Stop would stop nothing
  return out;
}

void Gateway::Stop() {
  if (!state_ || !state_->thread.joinable()) return;
  state_->server.stop();
  state_->thread.join();
}

}  // namespace pinka::web
