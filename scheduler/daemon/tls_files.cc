#include "scheduler/daemon/tls_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "base/parse.h"
#include "fmt/format.h"
#include "fmt/ostream.h"
#include "scheduler/daemon/data_dir.h"
#include "spdlog/spdlog.h"
#include "tls/certificate.h"
#include "tls/issue.h"

namespace pinka {
namespace {

constexpr Duration kSoon = Duration::Days(30);
constexpr const char* kOwnNames[] = {"localhost", "127.0.0.1", "::1"};

std::string DirOf(const CertOptions& options) {
  if (!options.dir.empty()) return options.dir;
  return (options.data.empty() ? DataDir::Default() : options.data) + "/tls";
}

std::string CaPath(const std::string& dir) { return dir + "/ca.pem"; }
std::string CaKeyPath(const std::string& dir) { return dir + "/ca-key.pem"; }
std::string ServerPath(const std::string& dir) { return dir + "/server.pem"; }
std::string ServerKeyPath(const std::string& dir) { return dir + "/server-key.pem"; }

// The scheduler reads it as the user that it becomes.
Status GiveToScheduler(const std::string& path) {
  if (geteuid() != 0) return OkStatus();
  StatusOr<Account> account = SchedulerAccount();
  if (!account.ok()) return OkStatus();  // without that user the file stays root's
  if (chown(path.c_str(), account->uid, account->gid) == 0) return OkStatus();
  return Unavailable(fmt::format("cannot give {} to {}: {}", path, account->name, strerror(errno)));
}

Status Keep(const std::string& path, const std::string& text) {
  if (Status s = WriteFileDurably(path, text, 0600); !s.ok()) return s;
  return GiveToScheduler(path);
}

Status KeepServer(const std::string& dir, const Issued& server) {
  // The key first: one without its certificate is told apart at the next start.
  if (Status s = Keep(ServerKeyPath(dir), server.key); !s.ok()) return s;
  return Keep(ServerPath(dir), server.certificate);
}

// With this machine's own names, so that it can be reached from itself as well.
std::vector<std::string> AllNames(std::vector<std::string> names) {
  for (const char* own : kOwnNames) {
    if (std::ranges::find(names, own) == names.end()) names.emplace_back(own);
  }
  return names;
}

bool IsOwnName(const std::string& name) {
  return std::ranges::find(kOwnNames, name) != std::end(kOwnNames);
}

std::string PublicName(const std::vector<std::string>& names) {
  const auto found = std::ranges::find_if_not(names, IsOwnName);
  const std::string name = found == names.end() ? "localhost" : *found;
  return name.find(':') == std::string::npos ? name : "[" + name + "]";
}

StatusOr<Issued> ReadAuthority(const std::string& dir) {
  StatusOr<std::string> certificate = ReadFile(CaPath(dir));
  StatusOr<std::string> key = ReadFile(CaKeyPath(dir));
  if (certificate.ok() && key.ok()) return Issued{*certificate, *key};
  return NotFound(
      fmt::format("there is no authority in {}; `pinkad cert init --name HOST` makes one", dir));
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void Describe(const std::string& dir, const CertificateFacts& server, std::ostream& out) {
  fmt::print(out, "{}  for {}\n", ServerPath(dir), Joined(server.names));
  fmt::print(out, "  until {}\n", FormatUtc(server.valid_until));
}

void PrintNext(const std::string& dir, const std::vector<std::string>& names, std::ostream& out) {
  const std::string at = PublicName(names) + ":7443";
  fmt::print(out,
             "\nNext:\n"
             "  1. Serve it:     pinkad up --listen 0.0.0.0:7443\n"
             "                   (pinkad serve: tls_listen = \"0.0.0.0:7443\" in its file)\n"
             "  2. People get {}, which is no secret:\n"
             "                   pinka login --server {} --ca ca.pem\n"
             "  3. Boxes need no file, their join token knows the authority:\n"
             "                   pinka admin node join-token n1 --tier TIER\n"
             "Keep {} where nobody else reads it: whoever has it can pose as this lab.\n",
             CaPath(dir), at, CaKeyPath(dir));
}

void WarnOfEnd(const std::string& path, const CertificateFacts& facts, Timestamp now) {
  if (now >= facts.valid_until) {
    spdlog::error(
        "the certificate {} expired at {}: nobody will trust this server until `pinkad "
        "cert renew` and a restart",
        path, FormatUtc(facts.valid_until));
  } else if (now >= facts.valid_until - kSoon) {
    spdlog::warn("the certificate {} expires at {}; `pinkad cert renew` makes a new one", path,
                 FormatUtc(facts.valid_until));
  }
}

}  // namespace

Status InitCertificates(const CertOptions& options, Timestamp now, std::ostream& out) {
  const std::string dir = DirOf(options);
  if (PathExists(CaPath(dir)) || PathExists(CaKeyPath(dir))) {
    return absl::AlreadyExistsError(fmt::format(
        "there is an authority in {} already, which boxes and people trust; `pinkad cert "
        "renew` makes a new certificate from it",
        dir));
  }
  if (options.names.empty())
    return Invalid(
        "name this machine as boxes and people reach it: --name lab.example --name "
        "203.0.113.7");
  StatusOr<Issued> ca = IssueAuthority("pinka lab " + options.names.front(), now);
  if (!ca.ok()) return ca.status();
  const std::vector<std::string> names = AllNames(options.names);
  StatusOr<Issued> server = IssueServer(*ca, names, now);
  if (!server.ok()) return server.status();
  if (Status s = MakeDirectories(dir, 0700); !s.ok()) return s;
  if (Status s = GiveToScheduler(dir); !s.ok()) return s;
  if (Status s = Keep(CaKeyPath(dir), ca->key); !s.ok()) return s;
  if (Status s = Keep(CaPath(dir), ca->certificate); !s.ok()) return s;
  if (Status s = KeepServer(dir, *server); !s.ok()) return s;
  fmt::print(out, "{}  the lab's own authority\n", CaPath(dir));
  Describe(dir, ReadCertificates(server->certificate, "server.pem")->front(), out);
  PrintNext(dir, names, out);
  return OkStatus();
}

Status RenewCertificate(const CertOptions& options, Timestamp now, std::ostream& out) {
  const std::string dir = DirOf(options);
  StatusOr<Issued> ca = ReadAuthority(dir);
  if (!ca.ok()) return ca.status();
  std::vector<std::string> names = options.names;
  StatusOr<std::string> old = ReadFile(ServerPath(dir));
  if (names.empty() && old.ok()) {
    auto facts = ReadCertificates(*old, ServerPath(dir));
    if (facts.ok()) names = facts->front().names;
  }
  if (names.empty()) return Invalid("name this machine as boxes and people reach it: --name HOST");
  StatusOr<Issued> server = IssueServer(*ca, AllNames(names), now);
  if (!server.ok()) return server.status();
  if (Status s = KeepServer(dir, *server); !s.ok()) return s;
  Describe(dir, ReadCertificates(server->certificate, "server.pem")->front(), out);
  fmt::print(out,
             "Restart pinkad to serve it; what runs does not notice, and nobody needs a new "
             "ca.pem.\n");
  return OkStatus();
}

Status ShowCertificates(const CertOptions& options, Timestamp now, std::ostream& out) {
  const std::string dir = DirOf(options);
  StatusOr<std::string> pem = ReadFile(ServerPath(dir));
  if (!pem.ok()) return pem.status();
  auto chain = ReadCertificates(*pem, ServerPath(dir));
  if (!chain.ok()) return chain.status();
  Describe(dir, chain->front(), out);
  const Duration left = chain->front().valid_until - now;
  fmt::print(out, "  {} days left\n", std::max<int64_t>(left.seconds() / 86'400, 0));
  fmt::print(out, "authority  sha256 {}\n  until {}\n", chain->back().sha256,
             FormatUtc(chain->back().valid_until));
  return OkStatus();
}

StatusOr<api::TlsListen> LoadTls(const std::string& listen, const std::string& certificate,
                                 const std::string& key, Timestamp now) {
  if (Status s = api::CheckTlsListen(listen); !s.ok()) return s;
  if (!PathExists(certificate)) {
    return NotFound(
        fmt::format("to listen on {} a certificate is needed, and there is none at {}; "
                    "`pinkad cert init --name HOST` makes one",
                    listen, certificate));
  }
  api::TlsListen tls;
  tls.listen = listen;
  for (const auto& [path, text] : {std::pair(&certificate, &tls.certificate), {&key, &tls.key}}) {
    StatusOr<std::string> read = ReadFile(*path);
    if (!read.ok()) return read.status();
    *text = *std::move(read);
  }
  if (Status s = CheckKeyFits(tls.certificate, tls.key); !s.ok())
    return Invalid(fmt::format("{} and {}: {}", certificate, key, Message(s)));
  const auto chain = ReadCertificates(tls.certificate, certificate);
  WarnOfEnd(certificate, chain->front(), now);
  tls.name = PublicName(chain->front().names);
  // Only an authority of the lab's own can be pinned: those of the world change.
  if (chain->size() > 1 && chain->back().self_signed) tls.ca_pin = chain->back().sha256;
  return tls;
}

}  // namespace pinka
