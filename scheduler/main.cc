// pinkad: the scheduler's program. Each command is one function of daemon/ or check/.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/clock.h"
#include "fmt/format.h"
#include "scheduler/daemon/commands.h"
#include "scheduler/daemon/tls_files.h"

namespace {

// One sentence, and the exit code of semantics.md 11.
int Finish(const pinka::Status& status) {
  if (status.ok()) return 0;
  fmt::print(stderr, "pinkad: {}\n", pinka::Message(status));
  if (absl::IsAlreadyExists(status)) return 7;
  return absl::IsInvalidArgument(status) ? 2 : 1;
}

using CertVerb = pinka::Status (*)(const pinka::CertOptions&, pinka::Timestamp, std::ostream&);

void AddCertCommands(CLI::App& app, pinka::CertOptions* options, int* exit_code) {
  CLI::App* cert =
      app.add_subcommand("cert", "certificates, for TLS with other machines: init, renew, show");
  cert->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, CertVerb act) {
    CLI::App* verb = cert->add_subcommand(name, what);
    verb->add_option("--name", options->names, "a host name or address of this machine; repeat it");
    verb->add_option("--data", options->data, "data directory of pinkad; the files go below it");
    verb->add_option("--dir", options->dir, "where the files are (default: DATA/tls)");
    verb->callback(
        [=] { *exit_code = Finish(act(*options, pinka::SystemClock().Now(), std::cout)); });
  };
  add("init", "make the lab's authority and this machine's certificate", pinka::InitCertificates);
  add("renew", "make a new certificate from the same authority", pinka::RenewCertificate);
  add("show", "names, ends and fingerprint", pinka::ShowCertificates);
}

void AddUpCommand(CLI::App& app, pinka::UpOptions* up, int* exit_code) {
  CLI::App* command =
      app.add_subcommand("up", "PostgreSQL, scheduler and local agents on this machine");
  command->add_option("--data", up->data,
                      "data directory (default: " + pinka::DataDir::Default() + ")");
  command->add_option("--port", up->port, "port on 127.0.0.1, 0 for a free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command->add_option("--page-port", up->page_port, "port of the page, 0 for a free one, -1: none")
      ->check(CLI::Range(-1, 65535))
      ->capture_default_str();
  command->add_option("--listen", up->listen,
                      "HOST:PORT with TLS for other machines, such as 0.0.0.0:7443");
  command->add_option("--certificate", up->certificate,
                      "PEM file (default: that of `pinkad cert init`)");
  command->add_option("--key", up->key, "its private key, PEM");
  command->add_option("--agents", up->agents, "at most so many local agents")
      ->check(CLI::Range(0, 64));
  command->callback([=] { *exit_code = Finish(pinka::Up(*up)); });
}

}  // namespace

int main(int argc, char** argv) {
  setenv("GRPC_VERBOSITY", "NONE", 0);  // whoever knocks with a wrong name fills no log
  CLI::App app("pinkad: the scheduler of a lab that buys GPU time together");
  app.require_subcommand(1);
  app.set_version_flag("--version", PINKA_VERSION);
  int exit_code = 0;

  pinka::UpOptions up;
  up.programs = std::filesystem::canonical("/proc/self/exe").parent_path();
  AddUpCommand(app, &up, &exit_code);

  std::string config;
  CLI::App* serve = app.add_subcommand("serve", "the scheduler alone, on a database of yours");
  serve->add_option("--config", config, "configuration file (TOML)")->required();
  std::string tls_listen;
  serve->add_option("--listen", tls_listen, "HOST:PORT with TLS, instead of the file's tls_listen");
  serve->callback([&] { exit_code = Finish(pinka::ServeConfig(config, up.programs, tls_listen)); });

  pinka::CertOptions certs;
  AddCertCommands(app, &certs, &exit_code);

  std::string action;
  pinka::BooksOptions migrate;
  CLI::App* migrate_command =
      app.add_subcommand("migrate", "the database's schema: up, down or validate");
  migrate_command->add_option("action", action, "up, down or validate")
      ->required()
      ->check(CLI::IsMember({"up", "down", "validate"}));
  migrate_command->add_option("--config", migrate.config, "configuration file of pinkad serve");
  migrate_command->add_option("--data", migrate.data, "data directory of pinkad up");
  migrate_command->add_option("--to", migrate.version, "down: the version to go back to");
  migrate_command->callback([&] { exit_code = Finish(pinka::MigrateDatabase(action, migrate)); });

  pinka::BooksOptions books;
  CLI::App* check = app.add_subcommand(
      "check", "recompute the books from their entries; exit 1 where they do not balance");
  check->add_option("--config", books.config, "configuration file of pinkad serve");
  check->add_option("--data", books.data, "data directory of pinkad up");
  check->callback([&] {
    const auto checked = pinka::CheckDatabase(books, std::cout);
    exit_code = checked.ok() ? *checked : Finish(checked.status());
  });

  pinka::BooksOptions history;
  CLI::App* trace = app.add_subcommand(
      "trace", "the lab's own history as CSV: what has run, for `pinka simulate --trace`");
  trace->add_option("--config", history.config, "configuration file of pinkad serve");
  trace->add_option("--data", history.data, "data directory of pinkad up");
  trace->callback([&] { exit_code = Finish(pinka::PrintTrace(history, std::cout)); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  return exit_code;
}
