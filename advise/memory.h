// How much memory of a card a run takes, before it is paid for. An estimate is a range, never a
// point: frameworks differ by a tenth and more (docs/advice.md has the errors against measured
// runs).
//
// Sources of the rules: activations of a transformer layer from Korthikanti et al. (arXiv
// 2205.05198, table 2), bytes of optimizers from Hugging Face's and EleutherAI's documents, ZeRO
// from DeepSpeed's; measured slopes correct them where they are known to be off.
//
//   Work work{.network = *FindNetwork("bert-base"), .batch = 32, .tokens = 128};
//   const Estimate e = EstimateMemory(work);   // e.total_gib, e.low_gib, e.high_gib, e.parts
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/cards.h"
#include "advise/models.h"
#include "base/status.h"

namespace pinka::advise {

enum class Method { kTrain, kLora, kQlora, kInfer };
enum class Precision { kFp32, kAmp, kHalf, kFourBit };  // kHalf: all of it in 16 bits
enum class Optimizer { kAdam, kAdam8bit, kAdafactor, kMomentum, kSgd };

struct Work {
  Network network;
  Method method = Method::kTrain;
  Precision precision = Precision::kFp32;
  Optimizer optimizer = Optimizer::kAdam;
  int batch = 1;   // on one card
  int tokens = 0;  // of a sequence; 0: 512, or an image's patches
  int image = 0;   // pixels of a side; 0: the network's own
  bool checkpointing = false;
  bool flash = false;         // attention that keeps no tokens x tokens
  bool compiled = false;      // torch.compile: what is cheap is computed again, not kept
  bool chunked_loss = false;  // the loss sees a part of the tokens at a time
  int cards = 1;
  int zero = 0;          // ZeRO stage or FSDP (3) over the cards: 0 plain data parallel, 1, 2, 3
  bool offload = false;  // with 3: weights, gradients and states lie in the host's memory
  bool loads_whole = false;  // with 3: every card holds all weights before it gives its part up
};

struct Part {
  std::string name;  // "weights", "activations" …
  double gib = 0;
};

struct Estimate {
  std::vector<Part> parts;  // on each card; they sum to total
  double total_gib = 0;
  double low_gib = 0;
  double high_gib = 0;
  std::vector<std::string> notes;  // assumptions, for people
};
Estimate EstimateMemory(const Work& work);

// Fits, does not, or nobody can say before a try.
enum class Fit { kYes, kTight, kNo };
Fit FitOn(const Card& card, const Estimate& estimate);
// The largest batch of which the estimate's upper end fits; 0: not even one.
int LargestBatch(const Card& card, const Work& work);

// The guide's formula: parameters x 4 bytes + input x batch x 4 bytes + a buffer. In its own units,
// GB as it counts them.
struct GuideMemory {
  double weights_gb = 0;
  double input_gb = 0;
  double buffer_gb = 0.5;
  double total_gb = 0;
  double card_gb = 0;          // the smallest usual size that holds it
  bool guides_figure = false;  // weights as the guide rounds them, not as they follow
};
GuideMemory GuideFormula(const Network& network, double input_gb);

std::string_view Name(Method m);  // "train"
bool FromName(std::string_view name, Method* out);
bool FromName(std::string_view name, Precision* out);  // fp32 amp fp16 bf16 4bit nf4
bool FromName(std::string_view name, Optimizer* out);  // adam adamw adam8bit adafactor momentum sgd

}  // namespace pinka::advise
