// pinka nodes: the machines.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

std::string NoteText(const v1::Node& node) {
  std::vector<std::string> notes;
  if (node.paid_minutes_left() > 0)
    notes.push_back(std::to_string(node.paid_minutes_left()) + " paid minutes left");
  if (node.simulated()) notes.emplace_back("simulated cards");
  if (!node.reason().empty()) notes.push_back(node.reason());
  std::string text;
  for (const std::string& note : notes) text += (text.empty() ? "" : "; ") + note;
  return text;
}

class Nodes final : public Command {
 public:
  Description Describe() const override {
    return {"nodes",
            "",
            Group::kLab,
            "the machines",
            "Lists machines with their tier, how their hours are paid for, state and free GPUs. "
            "Minutes that the provider has been paid for already are used first. Simulated cards "
            "are named as such.",
            "pinka nodes"};
  }

  void Declare(Options&) override {}

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListNodesResponse answer, api->ListNodes({}));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    Table table({{"NAME", 8},
                 {"TIER", 6},
                 {"SOURCE", 6},
                 {"STATE", 0, false, StateColor},
                 {"GPUS", 0, true},
                 {"FREE", 0, true},
                 {"UNITS", 0, true},
                 {"RUNNING", 0, true},
                 {"SEEN", 4, true},
                 {"NOTE", 15}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::Node& node : answer.nodes()) table.Row(NodeRow(node, answer));
    table.Finish("No machines have joined; an admin adds one with pinka admin node join-token.");
    return 0;
  }

 private:
  static std::vector<std::string> NodeRow(const v1::Node& node,
                                          const v1::ListNodesResponse& answer) {
    const Duration silent = FromProto(answer.as_of()) - FromProto(node.last_seen_at());
    return {node.name(),
            node.tier(),
            node.source(),
            v1::NodeState::Value_Name(node.state()),
            std::to_string(node.gpus()),
            std::to_string(node.gpus_free()),
            std::to_string(node.units_free()) + "/" + std::to_string(node.units()),
            std::to_string(node.running()),
            node.has_last_seen_at() ? FormatSpan(std::max(Duration(), silent)) + " ago" : "never",
            NoteText(node)};
  }
};

}  // namespace

std::unique_ptr<Command> MakeNodes() { return std::make_unique<Nodes>(); }

}  // namespace pinka::cli
