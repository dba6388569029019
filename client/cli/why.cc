// pinka why: why a job waits, and what would have to change.
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "client/cli/core/watch.h"

namespace pinka::cli {
namespace {

// Broken at blanks into lines of so many columns; 0: one line. A long word stands alone.
std::vector<std::string> Folded(const std::string& text, int columns) {
  std::vector<std::string> lines(1);
  for (size_t at = 0; at < text.size();) {
    const size_t blank = std::min(text.find(' ', at + 1), text.size());
    std::string word = text.substr(at, blank - at);  // with the blank before it
    const bool full = columns > 0 && !lines.back().empty() &&
                      DisplayWidth(lines.back()) + DisplayWidth(word) > columns;
    if (full) lines.emplace_back();
    if (full) word.erase(0, word.find_first_not_of(' '));
    lines.back() += word;
    at = blank;
  }
  return lines;
}

class Why final : public Command {
 public:
  Description Describe() const override {
    return {"why",
            "ID",
            Group::kFollow,
            "why it waits",
            "Explains where a job stands: the reason it waits, who is ahead, the parts of its "
            "priority, and when it is expected to start under which assumption.",
            "pinka why 17"};
  }

  void Declare(Options& options) override { options.Positional("ID", "the job", &id_); }

  StatusOr<int> Run(Session& session) override {
    v1::ExplainJobRequest request;
    PINKA_TRY_ASSIGN(const int64_t job_id, ParseJobId(id_));
    request.set_job_id(job_id);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ExplainJobResponse answer, api->ExplainJob(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    Print(session, *lab, answer);
    return 0;
  }

 private:
  static void Print(Session& session, const Lab& lab, const v1::ExplainJobResponse& answer) {
    Out& out = session.out();
    const auto say = [&](const std::string& text) {
      for (const std::string& line : Folded(SanitizeForTerminal(text), session.terminal().columns))
        out.Line(line);
    };
    std::string head = "Job " + std::to_string(answer.job_id());
    if (!answer.reason().empty()) head += ": " + answer.reason();
    out.Line(head);
    if (!answer.text().empty()) say(answer.text());
    if (answer.position() > 0) {
      out.Line("Number " + std::to_string(answer.position()) + " in its tier, " +
               std::to_string(answer.ahead()) + " ahead.");
    }
    for (const std::string& line : answer.ahead_of_it()) say("  " + line);
    if (answer.has_expected_start_at()) say(Expected(lab, answer));
    if (!answer.assumption().empty()) say("(" + answer.assumption() + ")");
    if (!answer.would_change().empty()) say("What would change it: " + answer.would_change() + ".");
    if (!answer.factors().empty()) PrintFactors(session, answer);
  }

  static std::string Expected(const Lab& lab, const v1::ExplainJobResponse& answer) {
    const std::string from = lab.zone.Full(FromProto(answer.expected_start_at()));
    if (!answer.has_expected_start_by()) return "Expected start " + from + ".";
    const std::string by = lab.zone.Full(FromProto(answer.expected_start_by()));
    return from == by ? "Expected start " + from + "."
                      : "Expected start between " + from + " and " + by + ".";
  }

  static void PrintFactors(Session& session, const v1::ExplainJobResponse& answer) {
    Table table({{"FACTOR", 8}, {"POINTS", 0, true}}, session.terminal(),
                [&](std::string_view text) { session.out().Write(text); });
    for (const v1::Factor& factor : answer.factors()) {
      table.Row({factor.name(), std::to_string(factor.value())});
    }
    table.Row({"priority", std::to_string(answer.priority())});
    table.Finish("");
  }

  std::string id_;
};

}  // namespace

std::unique_ptr<Command> MakeWhy() { return std::make_unique<Why>(); }

}  // namespace pinka::cli
