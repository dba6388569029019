#include "client/cli/core/jobs_file.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/file.h"
#include "base/text.h"
#include "client/cli/core/submit_options.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

Status Mistake(const std::string& path, const toml::node& node, const std::string& what) {
  return Invalid(path + ":" + std::to_string(node.source().begin.line) + ": " + what);
}

// A text, a number, true or an instant, as it would be typed.
std::optional<std::string> TextOf(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  std::ostringstream out;
  if (const auto* at = node.as_date_time()) {
    out << at->get();
  } else if (const auto* day = node.as_date()) {
    out << day->get();
  } else {
    return std::nullopt;
  }
  return out.str();
}

// One option's values: the value, each of a list, each NAME=VALUE of a table.
std::optional<std::vector<std::string>> TextsOf(const toml::node& node) {
  std::vector<std::string> texts;
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& item : *list) {
      const auto text = TextOf(item);
      if (!text) return std::nullopt;
      texts.push_back(*text);
    }
  } else if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      const auto text = TextOf(value);
      if (!text) return std::nullopt;
      texts.push_back(std::string(key.str()) + "=" + *text);
    }
  } else if (const auto text = TextOf(node)) {
    texts.push_back(*text);
  } else {
    return std::nullopt;
  }
  return texts;
}

// Of the whole request, not of one job.
constexpr const char* kNotHere[] = {"request-id", "wait", "quiet", "yes"};
// Lists that are one value with commas.
constexpr const char* kJoined[] = {"tier", "requeue-exit", "export"};

template <class List>
bool Has(const List& list, const std::string& key) {
  return std::ranges::find(list, key) != std::end(list);
}

class JobReader {
 public:
  JobReader(const std::string& path, const toml::table& table) : path_(path), table_(table) {
    line_.Declare(options_);
  }

  StatusOr<FileJob> Read() {
    FileJob job;
    PINKA_TRY_ASSIGN(job.work, ReadWhat());
    if (const toml::node* file = table_.get("env-file")) PINKA_TRY(ReadOption("env-file", *file));
    for (const auto& [key, value] : table_) {
      std::string name(key.str());
      if (name == "command" || name == "script" || name == "args" || name == "env-file") continue;
      if (name == "ref") {
        if (!value.is_string()) return Mistake(path_, value, "ref is a \"name\"");
        job.ref = value.as_string()->get();
        continue;
      }
      std::ranges::replace(name, '_', '-');
      PINKA_TRY(ReadOption(name, value));
    }
    line_.ApplyOver(&job.work.fields);
    return job;
  }

 private:
  StatusOr<Work> ReadWhat() {
    const toml::node* command = table_.get("command");
    const toml::node* script = table_.get("script");
    if (!command == !script) {
      return Mistake(
          path_, table_,
          "a job has either command = [\"python3\", \"train.py\"] or script = \"train.sh\"");
    }
    std::vector<std::string> rest = {"--"};
    if (script) {
      if (!script->is_string()) return Mistake(path_, *script, "script is the path of a file");
      rest = {script->as_string()->get()};
    }
    const toml::node* words = script ? table_.get("args") : command;
    if (!script && table_.contains("args"))
      return Mistake(path_, *table_.get("args"),
                     "args stand behind a script; a command has its own");
    if (words) {
      const auto texts = words->is_array() ? TextsOf(*words) : std::nullopt;
      if (!texts)
        return Mistake(path_, *words, "write a list of words, [\"python3\", \"train.py\"]");
      rest.insert(rest.end(), texts->begin(), texts->end());
    }
    auto work = ReadWork(rest, false);
    if (!work.ok()) return Mistake(path_, script ? *script : *command, Message(work.status()));
    return work;
  }

  Status ReadOption(const std::string& name, const toml::node& value) {
    const Option* option = nullptr;
    std::vector<std::string> known = {"ref", "command", "script", "args"};
    for (const Option& one : options_.all()) {
      for (const std::string& dashed : OptionNames(one)) {
        if (!dashed.starts_with("--")) continue;
        const std::string key = dashed.substr(2);
        if (Has(kNotHere, key)) continue;
        known.push_back(key);
        if (key == name) option = &one;
      }
    }
    if (!option) {
      const std::string nearest = Nearest(name, known);
      return Mistake(path_, value,
                     "no key " + SanitizeForTerminal(name) + " of a job" +
                         (Has(kNotHere, name) ? "; it is an option of submit itself"
                          : nearest.empty()   ? ""
                                              : "; did you mean " + nearest + "?"));
    }
    if (option->kind == Option::Kind::kFlag) {
      if (!value.is_boolean()) return Mistake(path_, value, name + " is true or false");
      return value.as_boolean()->get() ? option->take("") : OkStatus();
    }
    auto texts = TextsOf(value);
    if (!texts) return Mistake(path_, value, name + " is a \"text\", a number or a list of them");
    if (Has(kJoined, name) && !texts->empty()) {
      std::string joined = texts->front();
      for (size_t n = 1; n < texts->size(); ++n) joined += "," + (*texts)[n];
      texts->assign(1, joined);
    }
    for (const std::string& text : *texts) {
      if (const Status s = option->take(text); !s.ok())
        return Mistake(path_, value, name + ": " + Message(s));
    }
    return OkStatus();
  }

  const std::string& path_;
  const toml::table& table_;
  SubmitLine line_;
  Options options_;
};

}  // namespace

StatusOr<std::vector<FileJob>> ParseJobsFile(const std::string& path, std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return Invalid(path + ":" + std::to_string(parsed.error().source().begin.line) + ": " +
                   std::string(parsed.error().description()));
  }
  for (const auto& [key, node] : parsed.table()) {
    if (key.str() != "job")
      return Mistake(path, node,
                     "no key " + SanitizeForTerminal(std::string(key.str())) +
                         "; a file of jobs has [[job]] tables only");
  }
  const toml::node* node = parsed.table().get("job");
  const toml::array* tables = node ? node->as_array() : nullptr;
  if (!tables || tables->empty() || !tables->is_array_of_tables())
    return Invalid(path + ": no job; write [[job]] with command = [\"python3\", \"train.py\"]");
  std::vector<FileJob> jobs;
  for (const toml::node& table : *tables) {
    PINKA_TRY_ASSIGN(FileJob job, JobReader(path, *table.as_table()).Read());
    jobs.push_back(std::move(job));
  }
  return jobs;
}

StatusOr<std::vector<FileJob>> ReadJobsFile(const std::string& path) {
  const auto text = ReadFile(path);
  if (!text.ok()) {
    return Invalid("the file of jobs " + path + " cannot be read (" + Message(text.status()) + ")");
  }
  return ParseJobsFile(path, *text);
}

}  // namespace pinka::cli
