// The memory estimate against measured runs: build/bin/bench_vram POINTS.csv [--json]. A row counts
// where it says what the estimate needs: a known network, batch, size and precision. Nothing is
// tuned to a row; docs/advice.md has the table. Families of networks from which a constant of
// advise/memory.cc was read are told apart from all others, which are held out.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "advise/memory.h"
#include "fmt/format.h"

namespace pinka::advise {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

std::vector<Row> ReadRows(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::vector<Row> rows;
  if (!std::getline(file, line)) return rows;
  const std::vector<std::string> titles = Cells(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = Cells(line);
    Row& row = rows.emplace_back();
    for (size_t i = 0; i < titles.size() && i < cells.size(); ++i) row[titles[i]] = cells[i];
  }
  return rows;
}

std::optional<int> Number(const std::string& text) {
  const int value = std::atoi(text.c_str());
  return value > 0 ? std::optional(value) : std::nullopt;
}

bool Has(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

// What the sources' own code and configurations say of all of their rows, and the points leave out.
struct SourceFacts {
  const char* source;
  bool chunked_loss;        // litgpt: lm_head_chunk_size=128; torchtune: CEWithChunkedOutputLoss
  bool sharded_recomputes;  // FSDP with activation checkpointing of each block
};
constexpr SourceFacts kSources[] = {{"litgpt", true, true}, {"torchtune", true, true}};

// Two names of S-Lab's points mean variants: profile/main_single.py trains mobilenet_v3_small, and
// workloads/cifar/profile_cifar.py takes VGG('VGG11'), with normalisation.
std::string NetworkName(const Row& row) {
  const std::string& model = row.at("model");
  if (!Has(row.at("source"), "S-Lab")) return model;
  if (model == "MobileNetV3") return "mobilenet-v3-small";
  return model == "VGG" ? "vgg-11-bn" : model;
}

// By what constants were measured: fp32 and mixed precision on BERT-large, packed weights on phi.
bool ConstantsComeFrom(const std::string& network) {
  return network.starts_with("bert") || network.starts_with("phi");
}

std::optional<Precision> PrecisionOf(const std::string& text) {
  if (text == "fp32") return Precision::kFp32;
  if (text == "fp16-AMP") return Precision::kAmp;
  if (text == "bf16" || text == "fp16") return Precision::kHalf;
  if (text.starts_with("nf4") || text == "4-bit") return Precision::kFourBit;
  return std::nullopt;
}

Optimizer OptimizerOf(const Row& row, const Network& network) {
  const std::string& text = row.at("optimizer");
  if (text == "Adam8bit") return Optimizer::kAdam8bit;
  if (text == "Adafactor") return Optimizer::kAdafactor;
  if (Has(text, "momentum")) return Optimizer::kMomentum;
  if (text == "none") return Optimizer::kSgd;
  // PyTorch's examples: momentum for images, Adam for text.
  return network.kind == NetworkKind::kConvolutional ? Optimizer::kMomentum : Optimizer::kAdam;
}

Method MethodOf(const std::string& text) {
  if (text.starts_with("QLoRA")) return Method::kQlora;
  if (text.starts_with("LoRA") || text == "Adapter") return Method::kLora;
  return text == "generate" ? Method::kInfer : Method::kTrain;
}

double CardGib(const std::string& card) {
  if (const Card* known = FindCard(card)) return UsableGib(*known);
  if (card == "A6000") return 48 * 0.975 - 0.6;
  const size_t dash = card.rfind('-');
  const double gib = std::atof(card.c_str() + (dash == std::string::npos ? 0 : dash + 1));
  return gib > 0 ? gib * 0.975 - 0.6 : 0;
}

void ReadSource(const Row& row, bool fsdp, Work* work) {
  const std::string& source = row.at("source");
  const std::string& note = row.at("note");
  // A note that lists what was switched on says all of it.
  const bool lists = note == "baseline" || note.starts_with("+");
  work->compiled = Has(lists ? note : source, "compile");
  for (const SourceFacts& facts : kSources) {
    if (!Has(source, facts.source)) continue;
    work->chunked_loss = lists ? Has(note, "chunked") : facts.chunked_loss;
    work->checkpointing = work->checkpointing || (fsdp && facts.sharded_recomputes);
  }
  // PyTorch's FSDP takes a module that is whole; where it cannot have been, it was not.
  constexpr double kBytesInGib = 1024.0 * 1024 * 1024;
  const double loading = 2 * work->network.params / kBytesInGib * (1 + 1.0 / work->cards);
  work->loads_whole = fsdp && loading <= CardGib(row.at("card"));
}

// Nothing where the row does not say enough.
std::optional<Work> WorkOf(const Row& row) {
  if (row.at("kind") != "train" && row.at("kind") != "infer") return std::nullopt;
  const Network* network = FindNetwork(NetworkName(row));
  const auto batch = Number(row.at("batch_per_gpu"));
  const auto precision = PrecisionOf(row.at("precision"));
  if (!network || !batch || !precision) return std::nullopt;
  Work work;
  work.network = *network;
  work.batch = *batch;
  work.precision = *precision;
  const std::string& size = row.at("seq_or_image");
  if (Has(size, "short prompt")) {
    work.tokens = 128;
  } else if (const auto value = Number(size); value && !Has(size, " x ")) {
    (network->kind == NetworkKind::kTransformer ? work.tokens : work.image) = *value;
  } else {
    return std::nullopt;
  }
  work.method = MethodOf(row.at("method"));
  work.optimizer = OptimizerOf(row, *network);
  work.checkpointing = Has(row.at("checkpointing"), "yes");
  work.cards = Number(row.at("gpus")).value_or(1);
  const bool fsdp = Has(row.at("checkpointing"), "FSDP");
  const bool sharded = fsdp || Has(row.at("checkpointing") + row.at("method"), "ZeRO-3");
  work.zero = sharded ? 3 : 0;
  work.offload = sharded && Has(row.at("optimizer"), "CPU offload");
  ReadSource(row, fsdp, &work);
  return work;
}

struct Tally {
  int right = 0;
  int all = 0;
  void Count(bool is_right) {
    ++all;
    right += is_right ? 1 : 0;
  }
  Tally operator+(const Tally& o) const { return {right + o.right, all + o.all}; }
  double part() const { return all == 0 ? 0 : static_cast<double>(right) / all; }
};

struct Tallies {
  Tally fit;
  Tally transformer;
  Tally convolution;
};

// One row into the tallies of its group; false where it does not say enough.
bool Judge(const Row& row, bool tell, std::map<bool, Tallies>* by_source) {
  const auto work = WorkOf(row);
  if (!work) return false;
  Tallies& tallies = (*by_source)[ConstantsComeFrom(work->network.name)];
  const Estimate e = EstimateMemory(*work);
  const bool fits = row.at("outcome").starts_with("fits");
  const double room = CardGib(row.at("card"));
  if (room > 0 && (fits || row.at("outcome").starts_with("OOM")))
    tallies.fit.Count((e.total_gib <= room) == fits);
  const double measured = std::atof(row.at("measured_gib").c_str());
  if (measured <= 0 || !fits) return true;
  // The allocator's own figure holds no context.
  const double cuda = Has(row.at("what_was_measured"), "nvidia-smi") ? 0 : e.parts.back().gib;
  const double ratio = (e.total_gib - cuda) / measured;
  const bool image = work->network.kind == NetworkKind::kConvolutional;
  (image ? tallies.convolution : tallies.transformer)
      .Count(std::abs(ratio - 1) <= (image ? 0.25 : 0.15));
  if (tell)
    fmt::print("{} {:28.28} {:6} batch {:3} estimate {:6.2f} measured {:6.2f} ratio {:.2f}\n",
               row.at("id"), row.at("model"), Name(work->method), work->batch, e.total_gib - cuda,
               measured, ratio);
  return true;
}

Tallies Sum(const Tallies& a, const Tallies& b) {
  return {a.fit + b.fit, a.transformer + b.transformer, a.convolution + b.convolution};
}

void Print(const char* what, const Tallies& t) {
  fmt::print(
      "{}: fits or out of memory {} of {} right; within 15 % of {} transformers: {}; within 25 % "
      "of {} convolutional: {}\n",
      what, t.fit.right, t.fit.all, t.transformer.all, t.transformer.right, t.convolution.all,
      t.convolution.right);
}

std::string Json(const Tallies& t) {
  return fmt::format("\"fitAccuracy\":{:.4f},\"within15Transformer\":{:.4f},\"within25Cnn\":{:.4f}",
                     t.fit.part(), t.transformer.part(), t.convolution.part());
}

int Main(const char* path, bool json) {
  std::map<bool, Tallies> by_source;
  int rows = 0;
  for (const Row& row : ReadRows(path)) rows += Judge(row, !json, &by_source) ? 1 : 0;
  const Tallies all = Sum(by_source[false], by_source[true]);
  if (json) {
    fmt::print("{{{},\"rows\":{},\"heldOut\":{{{}}}}}\n", Json(all), rows, Json(by_source[false]));
  } else {
    Print("all", all);
    Print("families that gave a constant", by_source[true]);
    Print("families held out", by_source[false]);
  }
  return rows > 0 ? 0 : 1;
}

}  // namespace
}  // namespace pinka::advise

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_vram POINTS.csv [--json]\n");
    return 2;
  }
  return pinka::advise::Main(argv[1], argc > 2 && std::string(argv[2]) == "--json");
}
