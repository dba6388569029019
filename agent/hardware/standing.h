// What a node says of itself over several checks. One bad poll neither takes a node out nor ends
// work, and one good poll does not bring it back:
//
//   wrong hardware                      out at once
//   throttled, or no answer that counts out after 3 in a row
//   a registered card sick or missing   that card out after 2 in a row
//   good                                back after 2 in a row
//
// At joining and on demand one check is enough. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/hardware/judge.h"

namespace pinka::hardware {

class Standing {
 public:
  struct Card {
    std::string uuid;
    std::string name;
    int64_t memory_mib = 0;
    std::string fault;  // "": it takes work
  };

  // `only`: the cards that the node offers; empty: all.
  explicit Standing(std::set<std::string> only = {}) : only_(std::move(only)) {}

  void Take(const Judgement& judgement, bool at_once);

  Verdict verdict() const { return verdict_; }  // kOk, kMismatch or kUnusable
  const std::string& why() const { return why_; }
  // Every card ever registered, in the order first shown.
  std::vector<Card> cards() const;
  // Something was bad that has no consequence yet, or is out and may come back: look again soon.
  bool LookAgainSoon() const;

 private:
  struct Known {
    Card card;
    int bad = 0;   // in a row
    int good = 0;  // in a row
  };
  void TakeCards(const Judgement& judgement, bool at_once);

  std::set<std::string> only_;
  Verdict verdict_ = Verdict::kUnusable;
  std::string why_ = "it has not been checked yet";
  int bad_ = 0;
  int good_ = 0;
  std::vector<Known> known_;
};

}  // namespace pinka::hardware
