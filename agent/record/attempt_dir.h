// The directory of one attempt: the protocol between an agent and a supervisor that outlives it
// (mode 0700, files 0600).
//
//   order     agent       what to run; durable before the supervisor starts
//   launched  either      the claim, taken once for ever: who may start the attempt; durable
//   started   supervisor  exec succeeded
//   meter     supervisor  milliseconds so far
//   stop      agent       end it, why and with which grace; then Wake
//   stopping  supervisor  the stop (its own or the agent's) has begun
//   main      supervisor  how the main process ended
//   exit      either      the end: the last word; durable
//   kept      agent       what of its files lies in the lab's store
//   log       supervisor  what the job wrote
//   reserve   supervisor  room for exit on a disk that fills up
//   control   supervisor  a FIFO; a byte means "look for stop"
//
// Durable means it survives the machine: the order, the claim and the exit, because they decide
// whether a job runs again. The rest survives every process, not the machine: after a reboot
// the attempt is over anyway. Readers never see part of a file.
// Not synchronised: each file has one writer, `launched` and `exit` are taken by link(2).
#pragma once

#include <optional>
#include <string>

#include "agent/record/events.h"
#include "agent/record/kept.h"
#include "agent/record/order.h"
#include "base/status.h"

namespace pinka {

class AttemptDir {
 public:
  explicit AttemptDir(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }

  Status Create() const;  // fine if it exists; durable in its parent
  Status WriteOrder(const Order& order) const;
  StatusOr<Order> ReadOrder() const;

  // True: the claim is ours, durably. False: somebody has it.
  StatusOr<bool> TakeClaim(const Claim& claim) const;
  // True: written, durably. False: there is an end already, which stays.
  StatusOr<bool> WriteExit(const Exit& exit) const;

  Status WriteStarted(const Started& started) const;
  Status WriteMeter(const Meter& meter) const;
  Status WriteCardPeak(const CardPeak& peak) const;
  Status WriteStop(const Stop& stop) const;
  Status WriteStopping(const Stop& stop) const;
  Status WriteMain(const MainEnd& end) const;
  Status WriteKept(const Kept& kept) const;

  // Nothing where the file is not there (or damaged, which a crash of the machine may do to the
  // records that are not durable).
  std::optional<Claim> ReadClaim() const;
  std::optional<Started> ReadStarted() const;
  std::optional<Meter> ReadMeter() const;
  std::optional<CardPeak> ReadCardPeak() const;
  std::optional<Stop> ReadStop() const;
  std::optional<Stop> ReadStopping() const;
  std::optional<MainEnd> ReadMain() const;
  std::optional<Exit> ReadExit() const;
  std::optional<Kept> ReadKept() const;

  std::string OrderPath() const { return path_ + "/order"; }
  std::string ClaimPath() const { return path_ + "/launched"; }
  std::string LogPath() const { return path_ + "/log"; }
  std::string ControlPath() const { return path_ + "/control"; }
  std::string ErrorPath() const { return path_ + "/supervisor.err"; }
  int64_t LogBytes() const;  // the log's size now; 0 where there is none

  // Room that is kept for `exit`, so that a job that fills the disk cannot take it.
  void HoldReserve() const;
  void DropReserve() const;

  // Makes the supervisor look for `stop`. Nobody listening is fine.
  void Wake() const { PokeFifo(ControlPath()); }
  // Writes a byte into a FIFO without ever waiting; nobody listening is fine.
  static void PokeFifo(const std::string& path);

 private:
  std::string path_;
};

}  // namespace pinka
