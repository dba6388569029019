// How a channel to the server is made. There are two implementations, one a program: `pinka` speaks
// to this machine only and starts in a third of the time; `pinka-tls` beside it speaks TLS, and
// `pinka` becomes it where TLS is wanted (switch_program.h).
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "client/cli/core/endpoint.h"

namespace pinka::cli {

extern const bool kSpeaksTls;

std::shared_ptr<grpc::Channel> Dial(const Endpoint& endpoint,
                                    const grpc::ChannelArguments& arguments);

// OK unless a call failed since the server is not to be believed; then the sentence that says why.
// May ask the server once more.
Status WhyNotTrusted(const Endpoint& endpoint, const grpc::Status& status);

}  // namespace pinka::cli
