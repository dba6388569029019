#include "client/cli/core/report_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "client/cli/core/csv.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/out.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

constexpr char kStandardOutput[] = "-";

// The mode that a new file of this process gets.
int ModeOfNewFiles() {
  const mode_t mask = umask(0);
  umask(mask);
  return static_cast<int>(0666 & ~mask);
}

Status CannotWrite(const std::string& sentence) {
  return Refusal("CannotWrite", sentence, kExitFailure);
}

}  // namespace

void ReportFile::Declare(Options& options, bool html) {
  options.ValueOr("--csv", "FILE", "for spreadsheets, six decimals; - is standard output",
                  kStandardOutput, &csv_);
  if (!html) return;
  options.Value("--html", "FILE", "a page to send around or print; - is standard output", &html_);
}

Status ReportFile::Check(const Session& session) const {
  if (csv() + html() + session.json() <= 1) return OkStatus();
  return Invalid("--csv, --html and --json exclude each other; ask once for each");
}

Status ReportFile::Save(Session& session, std::string_view content) const {
  const std::string& path = csv() ? csv_ : html_;
  if (path == kStandardOutput) {
    session.out().Write(content);
    return OkStatus();
  }
  PINKA_TRY(WriteReport(path, content));
  session.Note("wrote " + SanitizeForTerminal(path));
  return OkStatus();
}

std::string ReportFile::CsvStart() const {
  struct stat about;
  const bool to_file =
      csv_ != kStandardOutput || (fstat(STDOUT_FILENO, &about) == 0 && S_ISREG(about.st_mode));
  return to_file ? kCsvMark : "";
}

Status WriteReport(const std::string& path, std::string_view content) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::directory) {
    return CannotWrite("cannot write " + path + ": it is a directory; name a file in it");
  }
  const bool regular = kind == std::filesystem::file_type::regular;
  if (regular || kind == std::filesystem::file_type::not_found) {
    // Behind a link the file is replaced, not the link.
    const std::string real = regular ? std::filesystem::canonical(path, error).string() : path;
    const Status status = WriteFileDurably(real, content, ModeOfNewFiles());
    return status.ok() ? status : CannotWrite(Message(status));
  }
  const Fd fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) return CannotWrite("cannot write " + path + ": it cannot be opened");
  Out(fd.get()).Write(content);
  return OkStatus();
}

}  // namespace pinka::cli
