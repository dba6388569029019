#include "advise/memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fmt/format.h"

namespace pinka::advise {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;
// CUDA's context with its kernels: 1.31 GiB on a V100 with driver 460, up to 2 by Hugging Face.
constexpr double kContextGib = 1.3;
// Kernels of cuDNN and cuBLAS beside them: an idle training process holds about 2 GiB.
constexpr double kKernelsGib = 0.7;
// cuDNN may transform a filter of 3 x 3 for its fast algorithms, a tile of 32 x 17 complex numbers
// for each pair of channels, and the allocator keeps the room. Whether it does is decided by
// trying: between nothing and all of it, the middle.
constexpr double kTransformedFilterBytes = 32 * 17 * 8;
// What frameworks keep beyond the formula: 174 bytes a token, layer and hidden unit measured in
// fp32 where it gives 148.
constexpr double kKeptInFp32 = 1.18;
// Under autocast norms, softmax and loss stay in fp32.
constexpr double kAmpOfFp32 = 0.75;
// Packed weights: a token and hidden unit of a layer keep so many bytes more than in 16 bits.
constexpr double kUnpacked = 10;

bool FullPrecision(const Work& work) {
  return work.precision == Precision::kFp32 || work.precision == Precision::kAmp;
}
bool Adapters(const Work& work) {
  return work.method == Method::kLora || work.method == Method::kQlora;
}
bool FourBit(const Work& work) {
  return work.precision == Precision::kFourBit || work.method == Method::kQlora;
}
bool Convolutional(const Work& work) { return work.network.kind == NetworkKind::kConvolutional; }

int TokensOf(const Work& work) {
  const Network& n = work.network;
  if (n.kind == NetworkKind::kVisionTransformer) {
    const double side = work.image > 0 ? static_cast<double>(work.image) / n.image : 1;
    return static_cast<int>(std::lround((n.patches - 1) * side * side)) + 1;
  }
  return work.tokens > 0 ? work.tokens : 512;
}

double Embedding(const Network& n) { return static_cast<double>(n.vocab) * n.hidden; }

double Weights(const Work& work) {
  const Network& n = work.network;
  if (FourBit(work)) {
    const double tables = Embedding(n);  // stay in 16 bits
    const double widest = static_cast<double>(std::max(n.vocab, n.ffn)) * n.hidden;
    return (n.params - tables) * 0.56 + tables * 2 +
           widest * 2;  // and one matrix unpacked at a time
  }
  switch (work.precision) {
    case Precision::kFp32:
      return 4 * n.params;
    case Precision::kAmp:  // and the copies in 16 bits that autocast keeps
      return 4 * n.params + 2 * (n.params - Embedding(n));
    case Precision::kHalf:
    case Precision::kFourBit:
      break;
  }
  return 2 * n.params;
}

double Trainable(const Work& work) {
  if (work.method == Method::kInfer) return 0;
  return Adapters(work) ? 0.002 * work.network.params : work.network.params;
}

double OptimizerBytes(const Work& work) {
  const double full =
      FullPrecision(work) || Adapters(work) ? 2 : 1;  // states in fp32 or in 16 bits
  switch (work.optimizer) {
    case Optimizer::kAdam:
      return 4 * full;
    case Optimizer::kAdam8bit:
      return 2;
    case Optimizer::kAdafactor:
      return 0.1;
    case Optimizer::kMomentum:
      return 2 * full;
    case Optimizer::kSgd:
      return 0;
  }
  return 0;
}

// How many values an image makes, beside one of the network's own size. Networks for small pictures
// (CIFAR's 32 pixels) leave out the first two halvings of each side, where there are such.
double Area(const Work& work) {
  constexpr int kSmallPicture = 64;
  if (work.image == 0) return 1;
  const double side = static_cast<double>(work.image) / work.network.image;
  return side * side * (work.image <= kSmallPicture && work.network.halves_first ? 16 : 1);
}

// Bytes that the backward pass needs of one layer, a token, in 16 bits: the attention's input,
// queries, keys, values, result and dropout; norms, which compute in fp32 where they are RMS norms;
// the feed-forward part. A compiler computes norms, gates and copies again.
double SixteenBitLayer(const Work& work) {
  const Network& n = work.network;
  const double h = n.hidden;
  const double kv = h * n.kv_heads / n.heads;
  const double attention = 2 * h + 2 * (h + 2 * kv) + 2 * h;
  if (work.compiled) return attention + 4 * h + (n.gated ? 4.0 : 2.0) * n.ffn;
  const double norms = 4 * h + (n.gated ? 6 * h : 0);
  return attention + h + norms + 2 * h + (n.gated ? 8.0 * n.ffn : 4.0 * n.ffn + h);
}

double LayerBytes(const Work& work, int tokens) {
  const double sixteen =
      SixteenBitLayer(work) + (FourBit(work) ? kUnpacked * work.network.hidden : 0);
  if (!FullPrecision(work)) return sixteen;
  const double quadratic = work.flash ? 0 : 5.0 * work.network.heads * tokens;
  const double full = kKeptInFp32 * 2 * (sixteen + quadratic);
  return work.precision == Precision::kFp32 ? full : kAmpOfFp32 * full;
}

double ConvolutionValues(const Work& work) {
  const Network& n = work.network;
  const double values = n.activations_m * 1e6 * Area(work) * work.batch;
  if (work.method == Method::kInfer) return values * 4 * 0.15;  // a few layers at a time
  const double kept = n.kept * (work.checkpointing ? 0.35 : 1);
  return values * kept * (work.precision == Precision::kFp32 ? 4 : 2);
}

// The head's values, their softmax and its gradient, both of them in fp32; a loss that is computed
// in chunks keeps values and gradients in 16 bits.
double Logits(const Work& work) {
  const Network& n = work.network;
  if (Convolutional(work) || !n.token_head || work.method == Method::kInfer) return 0;
  const double value = work.precision == Precision::kFp32 && !Adapters(work) ? 4 : 2;
  const double a_token = work.chunked_loss ? 2 * value : value + 4 + 4;
  return a_token * TokensOf(work) * work.batch * n.vocab;
}

double Activations(const Work& work) {
  if (Convolutional(work)) return ConvolutionValues(work);
  const Network& n = work.network;
  const int tokens = TokensOf(work);
  const double all = static_cast<double>(tokens) * work.batch;
  if (work.method == Method::kInfer)
    return all * n.hidden * (work.precision == Precision::kFp32 ? 4 : 2) * 4;
  const double layer = all * LayerBytes(work, tokens);
  if (!work.checkpointing) return n.layers * layer;
  // Inputs of layers, and one layer computed again; by then the logits are gone.
  const double inputs = all * n.layers * n.hidden * (FullPrecision(work) ? 4 : 2);
  return inputs + std::max(layer - Logits(work), 0.0);
}

double KvCache(const Work& work) {
  const Network& n = work.network;
  if (work.method != Method::kInfer || Convolutional(work) || n.vocab == 0) return 0;
  const double kv = static_cast<double>(n.hidden) * n.kv_heads / n.heads;
  return 2.0 * n.layers * kv * TokensOf(work) * work.batch *
         (work.precision == Precision::kFp32 ? 4 : 2);
}

double Spread(const Work& work) {
  if (work.method == Method::kInfer) return 0.08;
  return Convolutional(work) ? 0.25 : 0.15;
}

void AddNotes(const Work& work, Estimate* e) {
  if (!Convolutional(work) && work.tokens == 0 && work.network.kind == NetworkKind::kTransformer)
    e->notes.push_back("sequences of 512 tokens are assumed; --tokens says otherwise");
  if (work.precision == Precision::kAmp)
    e->notes.push_back("mixed precision keeps about three quarters of what fp32 keeps, not half");
  if (Convolutional(work) && work.network.widest_filter > 0)
    e->notes.push_back("half of what cuDNN may take to transform the widest filters is counted");
  if (work.zero == 3 && !work.loads_whole)
    e->notes.push_back(
        "frameworks that put the whole model on each card before they shard it need its weights "
        "once over for that moment");
  if (work.cards > 1 && work.zero == 0)
    e->notes.push_back("plain data parallel: each card holds everything");
  e->notes.push_back("validation, checkpoints being written and long samples come on top");
}

}  // namespace

namespace {

// What lies on one card for the whole of a run, in bytes.
struct Held {
  double weights = 0;
  double gradients = 0;
  double states = 0;
};

Held HeldOnCard(const Work& work) {
  const double cards = std::max(work.cards, 1);
  const double trainable = Trainable(work);
  Held held{.weights = Weights(work),
            .gradients = trainable * (FullPrecision(work) || Adapters(work) ? 4 : 2),
            .states = trainable * OptimizerBytes(work)};
  if (work.zero >= 1) held.states /= cards;
  if (work.zero >= 2) held.gradients /= cards;
  if (work.zero < 3) return held;
  // Two layers are whole at a time, and a table of tokens.
  const double layers = std::max(work.network.layers, 1);
  const double whole = 2 * held.weights / layers + 2 * Embedding(work.network);
  held.weights = whole + (work.offload ? 0 : held.weights / cards);
  if (work.offload) {
    held.gradients = held.gradients * cards / layers;
    held.states = 0;
  }
  return held;
}

double Workspaces(const Work& work) {
  if (!Convolutional(work) || work.method == Method::kInfer) return 0;
  return kKernelsGib * kGib + work.network.widest_filter * kTransformedFilterBytes / 2;
}

double CudaBytes(const Work& work) { return kContextGib * kGib + Workspaces(work); }

}  // namespace

Estimate EstimateMemory(const Work& work) {
  const Held held = HeldOnCard(work);
  Estimate e;
  const auto add = [&e](const char* name, double bytes) {
    if (bytes <= 0) return;
    e.parts.push_back({name, bytes / kGib});
    e.total_gib += bytes / kGib;
  };
  add("weights", held.weights);
  add("gradients", held.gradients);
  add("optimizer states", held.states);
  add("activations", Activations(work));
  add("logits", Logits(work));
  add("KV cache", KvCache(work));
  if (work.zero >= 3 && work.loads_whole)
    add("whole weights while they load",
        Weights(work) * (1 + 1.0 / std::max(work.cards, 1)) - e.total_gib * kGib);
  add("CUDA and workspaces", CudaBytes(work));
  // Of weights everybody has the same idea.
  const double certain = kContextGib + held.weights / kGib;
  const double loose = std::max(e.total_gib - certain, 0.0);
  e.low_gib = e.total_gib - loose * Spread(work) - 0.3;
  e.high_gib = e.total_gib + loose * Spread(work) + 0.3;
  AddNotes(work, &e);
  return e;
}

Fit FitOn(const Card& card, const Estimate& estimate) {
  const double usable = UsableGib(card);
  if (estimate.high_gib <= usable) return Fit::kYes;
  return estimate.low_gib <= usable ? Fit::kTight : Fit::kNo;
}

int LargestBatch(const Card& card, const Work& work) {
  const auto fits = [&](int batch) {
    Work at = work;
    at.batch = batch;
    return FitOn(card, EstimateMemory(at)) == Fit::kYes;
  };
  if (!fits(1)) return 0;
  int low = 1;
  int high = 2;
  while (high < 1 << 20 && fits(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

GuideMemory GuideFormula(const Network& network, double input_gb) {
  constexpr double kGuidesBert = 0.42;  // 110 M parameters, as the guide rounds them
  GuideMemory m;
  m.guides_figure = network.name == "bert-base";
  m.weights_gb = m.guides_figure ? kGuidesBert : network.params * 4 / kGib;
  m.input_gb = input_gb;
  m.total_gb = m.weights_gb + m.input_gb + m.buffer_gb;
  for (const double size :
       {4.0, 6.0, 8.0, 11.0, 12.0, 16.0, 24.0, 32.0, 40.0, 48.0, 80.0, 96.0, 141.0}) {
    if (m.card_gb == 0 && size >= m.total_gb) m.card_gb = size;
  }
  return m;
}

namespace {

template <class E, size_t N>
bool Pick(std::string_view name, const std::array<std::pair<std::string_view, E>, N>& names,
          E* out) {
  const auto it = std::ranges::find(names, name, &std::pair<std::string_view, E>::first);
  if (it == names.end()) return false;
  *out = it->second;
  return true;
}

}  // namespace

std::string_view Name(Method m) {
  switch (m) {
    case Method::kTrain:
      return "train";
    case Method::kLora:
      return "lora";
    case Method::kQlora:
      return "qlora";
    case Method::kInfer:
      return "infer";
  }
  return "";
}

bool FromName(std::string_view name, Method* out) {
  using P = std::pair<std::string_view, Method>;
  return Pick(name,
              std::array{P{"train", Method::kTrain}, P{"lora", Method::kLora},
                         P{"qlora", Method::kQlora}, P{"infer", Method::kInfer}},
              out);
}

bool FromName(std::string_view name, Precision* out) {
  using P = std::pair<std::string_view, Precision>;
  return Pick(name,
              std::array{P{"fp32", Precision::kFp32}, P{"amp", Precision::kAmp},
                         P{"fp16", Precision::kHalf}, P{"bf16", Precision::kHalf},
                         P{"4bit", Precision::kFourBit}, P{"nf4", Precision::kFourBit}},
              out);
}

bool FromName(std::string_view name, Optimizer* out) {
  using P = std::pair<std::string_view, Optimizer>;
  return Pick(name,
              std::array{P{"adam", Optimizer::kAdam}, P{"adamw", Optimizer::kAdam},
                         P{"adam8bit", Optimizer::kAdam8bit}, P{"adafactor", Optimizer::kAdafactor},
                         P{"momentum", Optimizer::kMomentum}, P{"sgd", Optimizer::kSgd}},
              out);
}

}  // namespace pinka::advise
