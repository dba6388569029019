// What `pinka top` shows: one frame from the answers of the server. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/cli/core/when.h"
#include "pinka/v1/job.pb.h"
#include "pinka/v1/ledger.pb.h"
#include "pinka/v1/report.pb.h"

namespace pinka::cli {

struct TopFrame {
  v1::GetStatusResponse status;
  v1::GetBalanceResponse balance;
  std::vector<v1::Job> jobs;  // that wait or run, in any order
  std::string user;           // who looks
  std::string trouble;        // why this is not the newest; "": it is
};

struct TopSize {
  int columns = 80;
  int rows = 0;  // 0: as many as it takes
  bool color = false;
};

// Lines without their newlines, none wider than the columns and none more than the rows: a head
// with the own balance, the tiers with bars, what runs, what is next in each tier. Where rows are
// few, jobs give way first, those that run and those that wait by halves.
std::vector<std::string> DrawTop(const TopFrame& frame, const Zone& zone, const TopSize& size);

}  // namespace pinka::cli
