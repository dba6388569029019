// pinka files: what a task left behind.
#include "base/text.h"
#include "client/cli/commands.h"
#include "client/cli/core/kept_files.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "client/cli/core/workdir.h"
#include "files/tree.h"

namespace pinka::cli {
namespace {

std::string KindText(const v1::FileEntry& entry) {
  if (entry.kind() == v1::FileEntry::DIRECTORY) return "directory";
  if (entry.kind() == v1::FileEntry::LINK) return "link";
  return BytesText(entry.size());
}

class Files final : public Command {
 public:
  Description Describe() const override {
    return {"files",
            "ID",
            Group::kFollow,
            "what it left behind",
            "Lists what a task wrote to $PINKA_OUTPUT_DIR, kept when an attempt ends, also when it "
            "failed; and names the checkpoints that are kept. pinka cp fetches them.",
            "pinka files 17"};
  }

  void Declare(Options& options) override {
    choice_.Declare(options);
    options.Positional("ID", "a job, or a task of an array: 17, 36_1", &id_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(v1::ListFileSetsResponse kept, KeptChoice::List(*api, id_));
    PINKA_TRY_ASSIGN(const v1::FileSet set, choice_.Choose(id_, kept));
    const GetBlob get = [api](const std::string& hash) { return FetchBlob(*api, hash); };
    PINKA_TRY_ASSIGN(const v1::FileTree tree, ReadRoot(get, set.root()));
    if (session.json()) return PrintJson(session, get, tree, kept, set);
    session.out().Line(KeptText(set));
    Table table({{.title = "SIZE", .right = true}, {.title = "PATH", .min = 10}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    PINKA_TRY(ForEachPage(get, tree, "", [&](const v1::FilePage& page) -> StatusOr<bool> {
      for (const v1::FileEntry& entry : page.entries()) {
        std::string path = entry.path();
        if (entry.kind() == v1::FileEntry::LINK) path += " -> " + entry.target();
        table.Row({KindText(entry), path});
      }
      return true;
    }));
    table.Finish("nothing in it");
    for (const v1::FileSet& other : kept.sets()) {
      if (other.root() != set.root() || other.kind() != set.kind())
        session.out().Line("also kept: " + KeptText(other));
    }
    return 0;
  }

 private:
  static StatusOr<int> PrintJson(Session& session, const GetBlob& get, const v1::FileTree& tree,
                                 const v1::ListFileSetsResponse& kept, const v1::FileSet& set) {
    v1::FileList list;
    *list.mutable_as_of() = kept.as_of();
    *list.mutable_set() = set;
    *list.mutable_kept() = kept.sets();
    PINKA_TRY(ForEachPage(get, tree, "", [&](const v1::FilePage& page) -> StatusOr<bool> {
      for (const v1::FileEntry& entry : page.entries()) {
        v1::FileList::File* file = list.add_files();
        const bool utf8 = IsValidUtf8(entry.path());
        file->set_path(utf8 ? entry.path() : SanitizeForTerminal(entry.path()));
        file->set_kind(entry.kind());
        file->set_size(entry.size());
      }
      return true;
    }));
    session.PrintJson(list);
    return 0;
  }

  KeptChoice choice_;
  std::string id_;
};

}  // namespace

std::unique_ptr<Command> MakeFiles() { return std::make_unique<Files>(); }

}  // namespace pinka::cli
