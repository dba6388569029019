#include "client/cli/core/help.h"

#include <set>
#include <vector>

#include "base/text.h"

namespace pinka::cli {
namespace {

constexpr int kPageColumns = 80;
constexpr int kGroupColumns = 9;
constexpr int kNameColumns = 11;
constexpr int kBriefColumns = 24;

const char* Title(Group group) {
  switch (group) {
    case Group::kRun:
      return "Run";
    case Group::kFollow:
      return "Follow";
    case Group::kChange:
      return "Change";
    case Group::kMoney:
      return "Money";
    case Group::kAdvice:
      return "Advice";
    case Group::kLab:
      return "The lab";
    case Group::kSetup:
      return "Set up";
    case Group::kAdmin:
      return "Admins";
  }
  return "";
}

struct Entry {
  std::string name;
  std::string brief;
};

// What the one screen shows of a group: nested commands once, by their first two words.
std::vector<Entry> EntriesOf(const Commands& commands, Group group) {
  std::vector<Entry> entries;
  std::set<std::string> seen;
  for (const auto& command : commands) {
    const Description d = command->Describe();
    if (d.group != group || d.brief.empty()) continue;
    std::string name = d.path;
    if (name.starts_with("admin ")) name = name.substr(6);
    name = name.substr(0, name.find(' '));
    if (seen.insert(name).second) entries.push_back({name, d.brief});
  }
  return entries;
}

std::string GroupLines(const Commands& commands, Group group) {
  std::string text;
  const std::vector<Entry> entries = EntriesOf(commands, group);
  for (size_t i = 0; i < entries.size(); i += 2) {
    std::string line = PadRight(i == 0 ? Title(group) : "", kGroupColumns);
    line += PadRight(entries[i].name, kNameColumns);
    if (i + 1 < entries.size()) {
      line += PadRight(entries[i].brief, kBriefColumns + 1);
      line += PadRight(entries[i + 1].name, kNameColumns) + entries[i + 1].brief;
    } else {
      line += entries[i].brief;
    }
    text += line + "\n";
  }
  return text;
}

// There are too many of the admins' for more than their names.
std::string AdminLines(const Commands& commands) {
  std::string text;
  std::string line = PadRight(Title(Group::kAdmin), kGroupColumns);
  for (const Entry& entry : EntriesOf(commands, Group::kAdmin)) {
    if (DisplayWidth(line) + DisplayWidth(entry.name) > kPageColumns) {
      text += line + "\n";
      line = std::string(kGroupColumns, ' ');
    }
    line += entry.name + " ";
  }
  return text + line + "\n";
}

// Breaks at blanks; every line begins with `indent` blanks.
std::string Wrap(const std::string& text, int indent) {
  std::string out;
  std::string line(static_cast<size_t>(indent), ' ');
  const std::string margin = line;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (line != margin && DisplayWidth(line) + 1 + DisplayWidth(word) > kPageColumns) {
      out += line + "\n";
      line = margin;
    }
    line += (line == margin ? "" : " ") + word;
    begin = end + 1;
  }
  return out + line + "\n";
}

std::string OptionLine(const Option& option) {
  std::string left = "  " + option.names;
  for (size_t at = left.find(','); at != std::string::npos; at = left.find(',', at + 2)) {
    left.replace(at, 1, ", ");
  }
  if (!option.value_name.empty()) left += " " + option.value_name;
  constexpr int kLeft = 28;
  const std::string help = Wrap(option.help, kLeft);
  if (DisplayWidth(left) >= kLeft) return left + "\n" + help;
  return PadRight(left, kLeft) + help.substr(kLeft);
}

std::string OptionLines(const Options& options, bool global) {
  std::string text;
  for (const Option& option : options.all()) {
    if (option.global == global) text += OptionLine(option);
  }
  return text;
}

}  // namespace

std::string MainHelp(const Commands& commands) {
  std::string text =
      "pinka queues GPU jobs for a lab, shares the cards fairly, and bills what ran.\n"
      "Usage: pinka COMMAND [options]      pinka COMMAND --help has an example of each\n"
      "\n";
  for (const Group group : {Group::kRun, Group::kFollow, Group::kChange, Group::kMoney,
                            Group::kAdvice, Group::kLab, Group::kSetup}) {
    text += GroupLines(commands, group);
  }
  text += AdminLines(commands);
  text +=
      "\n"
      "Everywhere: --json for programs, --context NAME, --server HOST:PORT, --token T.\n"
      "Admins' commands begin with `pinka admin`; `pinka admin --help` explains them.\n"
      "Start here:\n"
      "  pinka login --server lab.example:7070\n"
      "  pinka submit --tier t4 --time 30m -- python3 train.py --lr 0.1\n";
  return text;
}

std::string CommandHelp(const Description& description, const Options& options) {
  std::string text = "Usage: pinka " + description.path;
  if (!description.usage.empty()) text += " " + description.usage;
  text += "\n\n" + Wrap(description.summary, 0) + "\n";
  if (const std::string own = OptionLines(options, false); !own.empty()) text += own + "\n";
  text += "Everywhere:\n" + OptionLines(options, true);
  return text + "\nExample:\n  " + description.example + "\n";
}

std::string PrefixHelp(const Commands& commands, const std::string& prefix) {
  std::string text = "Usage: pinka " + prefix + " COMMAND [options]\n\n";
  for (const auto& command : commands) {
    const Description d = command->Describe();
    if (!d.path.starts_with(prefix + " ")) continue;
    text += "  " + d.path.substr(prefix.size() + 1) + " " + d.usage + "\n";
    text += Wrap(d.summary, 6);
  }
  return text;
}

}  // namespace pinka::cli
