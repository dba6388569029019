// pinka cp: fetch what a task left behind.
#include <stdio.h>
#include <stdlib.h>

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "client/cli/commands.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/kept_files.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"
#include "client/cli/core/workdir.h"
#include "files/unpack.h"

namespace pinka::cli {
namespace {

namespace fs = std::filesystem;

std::string Shown(const std::string& path) { return SanitizeForTerminal(FitColumns(path, 120)); }

class Cp final : public Command {
 public:
  Description Describe() const override {
    return {"cp",
            "ID:[PATH] TO",
            Group::kFollow,
            "fetch files of it",
            "Copies a file or a directory that a task left in $PINKA_OUTPUT_DIR to this machine; "
            "without a PATH all of it, into the directory TO. What is there already is not "
            "replaced, and links that lead out of the output are left out.",
            "pinka cp 17:model ."};
  }

  void Declare(Options& options) override {
    choice_.Declare(options);
    options.Positional("ID:PATH", "of a job, or of a task of an array: 17:model, 36_1:log.txt",
                       &from_);
    options.Positional("TO", "a directory, or a name that is not taken yet", &to_);
  }

  StatusOr<int> Run(Session& session) override {
    const size_t colon = from_.find(':');
    if (colon == std::string::npos)
      return Invalid("write ID:PATH, as in 17:model; pinka files ID lists them");
    const std::string id = from_.substr(0, colon);
    PINKA_TRY_ASSIGN(const std::string path, PathIn(from_.substr(colon + 1)));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListFileSetsResponse kept, KeptChoice::List(*api, id));
    PINKA_TRY_ASSIGN(const v1::FileSet set, choice_.Choose(id, kept));
    const GetBlob get = [api](const std::string& hash) { return FetchBlob(*api, hash); };
    PINKA_TRY_ASSIGN(const Unpacked done, Fetch(get, set.root(), path));
    if (done.links_out > 0) {
      session.Note("pinka: warning: left out " + std::to_string(done.links_out) +
                   (done.links_out == 1 ? " link that leads" : " links that lead") +
                   " out of the output, such as " + Shown(done.first_link_out));
    }
    if (!session.json())
      session.out().Line(std::to_string(done.size.files) +
                         (done.size.files == 1 ? " file, " : " files, ") +
                         BytesText(done.size.bytes));
    return 0;
  }

 private:
  // As a tree has it: "./a//b/" is a/b.
  static StatusOr<std::string> PathIn(const std::string& typed) {
    std::string path;
    for (size_t at = 0; at < typed.size();) {
      const size_t end = std::min(typed.find('/', at), typed.size());
      const std::string name = typed.substr(at, end - at);
      at = end + 1;
      if (name.empty() || name == ".") continue;
      path += (path.empty() ? "" : "/") + name;
    }
    if (path.empty() || IsPathInside(path)) return path;
    return Invalid("the path " + Shown(typed) + " leads out of the output");
  }

  StatusOr<Unpacked> Fetch(const GetBlob& get, const std::string& root,
                           const std::string& path) const {
    std::error_code error;
    const UnpackOptions options{.only = path, .links_inside = true};
    if (fs::is_directory(to_, error)) return Named(Unpack(get, root, to_, options));
    if (path.empty()) return Invalid("there is no directory " + Shown(to_) + " to copy into");
    if (fs::exists(fs::symlink_status(to_, error)))
      return Refusal("Exists", Shown(to_) + " is there already; it is not replaced", kExitFailure);
    // Under another name: beside its place first, so that it appears whole.
    std::string beside = to_ + ".XXXXXX";
    if (mkdtemp(beside.data()) == nullptr)
      return Invalid("cannot write " + Shown(to_) + "; is its directory there?");
    StatusOr<Unpacked> done = Named(Unpack(get, root, beside, options));
    const std::string name = path.substr(path.rfind('/') + 1);
    if (done.ok() && rename((beside + "/" + name).c_str(), to_.c_str()) != 0)
      done = Invalid("cannot write " + Shown(to_));
    PINKA_TRY(RemoveTree(beside));
    return done;
  }

  static StatusOr<Unpacked> Named(StatusOr<Unpacked> done) {
    if (absl::IsNotFound(done.status()))
      return Refusal("NoSuchFile", Message(done.status()) + " in it; pinka files lists them",
                     kExitNotFound);
    if (absl::IsAlreadyExists(done.status()))
      return Refusal("Exists", Message(done.status()), kExitFailure);
    return done;
  }

  KeptChoice choice_;
  std::string from_;
  std::string to_;
};

}  // namespace

std::unique_ptr<Command> MakeCp() { return std::make_unique<Cp>(); }

}  // namespace pinka::cli
