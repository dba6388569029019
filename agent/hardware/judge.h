// Evidence against a claim, to a verdict. The claim is a label; the check is what the lab pays for.
//
//   UNUSABLE  no card can run a job here: none is shown, or nothing proves what it is
//   MISMATCH  what is here is not what is claimed, not a whole card, or not all of it works
//   OK        every card is whole, known, healthy, and the one claimed
//
// Pure. Only XML, CSV and -q can make OK; a table or a list gives count, driver and warnings.
#pragma once

#include <string>
#include <vector>

#include "agent/hardware/evidence.h"
#include "agent/hardware/reading.h"
#include "base/status.h"
#include "catalogue/cards.h"

namespace pinka::hardware {

enum class Verdict { kOk, kWarning, kMismatch, kUnusable };
const char* Name(Verdict verdict);  // "OK", "WARNING", "MISMATCH", "UNUSABLE"

struct Claim {
  std::string text;                // as written; "": none
  std::vector<const Card*> cards;  // any of them fulfils it
};
// InvalidArgument for words that name no card, with the nearest.
StatusOr<Claim> ParseClaim(const std::string& text);

struct GpuFinding {
  GpuReading reading;
  const Card* card = nullptr;      // null: no card of the catalogue
  Verdict verdict = Verdict::kOk;  // kOk, kMismatch or kUnusable
  std::string why;
  bool passing = false;  // a mismatch that may be over in a minute: its clocks are held down
};

struct Finding {
  std::string name;  // "driver", "memory"
  Verdict verdict = Verdict::kOk;
  std::string why;
};

struct Judgement {
  Verdict verdict = Verdict::kOk;  // never kWarning
  std::string why;                 // one sentence
  std::string claim;
  std::string driver;
  std::string cuda;
  std::vector<GpuFinding> gpus;
  std::vector<Finding> checks;
  std::string good_for;  // "": nothing
};
Judgement Judge(const Evidence& evidence, const Claim& claim);

}  // namespace pinka::hardware
