// The channel of `pinka-tls`: with TLS where authorities are named.
#include "base/clock.h"
#include "client/cli/core/dial.h"
#include "client/cli/core/errors.h"
#include "tls/judge.h"

namespace pinka::cli {

const bool kSpeaksTls = true;

std::shared_ptr<grpc::Channel> Dial(const Endpoint& endpoint,
                                    const grpc::ChannelArguments& arguments) {
  if (endpoint.authorities.empty()) {
    return grpc::CreateCustomChannel(endpoint.target, grpc::InsecureChannelCredentials(),
                                     arguments);
  }
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = endpoint.authorities;
  return grpc::CreateCustomChannel(endpoint.target, grpc::SslCredentials(options), arguments);
}

Status WhyNotTrusted(const Endpoint& endpoint, const grpc::Status& status) {
  if (endpoint.authorities.empty() || !IsAboutTrust(status.error_message())) return OkStatus();
  const Status judged = JudgeServer(endpoint.server, endpoint.authorities, SystemClock().Now());
  if (judged.ok() || absl::IsUnavailable(judged)) return OkStatus();
  return Refusal("Untrusted", Message(judged), kExitUnreachable);
}

}  // namespace pinka::cli
