// Reports as files: `--csv F` and `--html F`, "-" for standard output. A file is there whole or not
// at all, and replaces the one of its name.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "client/cli/core/options.h"

namespace pinka::cli {

class Session;

class ReportFile {
 public:
  // --csv, and --html where the command has that form.
  void Declare(Options& options, bool html);
  // One form at a time.
  Status Check(const Session& session) const;

  bool csv() const { return !csv_.empty(); }
  bool html() const { return !html_.empty(); }
  Status Save(Session& session, std::string_view content) const;

  // What a CSV begins with: the mark, but nothing in a pipe, where a program reads.
  std::string CsvStart() const;

 private:
  std::string csv_;
  std::string html_;
};

// `content` at `path`; a path that is a terminal, a pipe or a device is written to.
Status WriteReport(const std::string& path, std::string_view content);

}  // namespace pinka::cli
