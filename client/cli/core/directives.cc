#include "client/cli/core/directives.h"

#include "client/cli/core/parser.h"
#include "client/cli/core/shell_words.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

bool IsMarked(std::string_view line, std::string_view mark) {
  if (!line.starts_with(mark)) return false;
  return line.size() == mark.size() || line[mark.size()] == ' ' || line[mark.size()] == '\t';
}

bool IsHeadLine(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#';
}

Status ReadDirective(std::string_view line, SubmitFields* fields) {
  SubmitLine submit_line;
  Options options;
  submit_line.Declare(options);
  PINKA_TRY_ASSIGN(const std::vector<std::string> words, SplitShellWords(line));
  PINKA_TRY(ParseWords(options, words));
  submit_line.ApplyOver(fields);
  return OkStatus();
}

// What stands at one line of the script.
class Walker {
 public:
  explicit Walker(std::string file) : file_(std::move(file)) {}

  Status Line(std::string_view line, int number, Directives* out) {
    constexpr std::string_view kMark = "#PINKA";
    if (!IsHeadLine(line)) in_head_ = false;
    const std::string place = file_ + ":" + std::to_string(number) + ": ";
    if (IsMarked(line, "#SBATCH") && !warned_of_sbatch_) {
      warned_of_sbatch_ = true;
      out->warnings.push_back(place + "#SBATCH lines are not read in this version; write #PINKA");
    }
    if (!IsMarked(line, kMark)) return OkStatus();
    if (!in_head_) {
      out->warnings.push_back(place + "#PINKA behind the first command is not read");
      return OkStatus();
    }
    const Status status = ReadDirective(line.substr(kMark.size()), &out->fields);
    return status.ok() ? status : Invalid(place + Message(status));
  }

 private:
  std::string file_;
  bool in_head_ = true;
  bool warned_of_sbatch_ = false;
};

}  // namespace

StatusOr<Directives> ReadDirectives(std::string_view script, const std::string& file) {
  Directives directives;
  Walker walker(file);
  int number = 0;
  for (size_t begin = 0; begin < script.size();) {
    const size_t end = std::min(script.find('\n', begin), script.size());
    std::string_view line = script.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    PINKA_TRY(walker.Line(line, ++number, &directives));
    begin = end + 1;
  }
  return directives;
}

}  // namespace pinka::cli
