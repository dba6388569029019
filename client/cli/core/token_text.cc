#include "client/cli/core/token_text.h"

namespace pinka::cli {

void PrintToken(Session& session, const google::protobuf::Message& message,
                const std::string& token, bool quiet, const std::string& what_happened) {
  if (session.json()) return session.PrintJson(message);
  if (!quiet) session.Note(what_happened + " The token is shown this once:");
  session.out().Line(token);
}

}  // namespace pinka::cli
