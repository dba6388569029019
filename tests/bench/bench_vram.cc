// The memory estimate against measured runs: build/bin/bench_vram POINTS.csv [--json]. A row counts
// where it says what the estimate needs: a known network, batch, size and precision. Nothing is
// tuned to a row; docs/advice.md has the table.
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

// Nothing where the row does not say enough.
std::optional<Work> WorkOf(const Row& row) {
  if (row.at("kind") != "train" && row.at("kind") != "infer") return std::nullopt;
  const Network* network = FindNetwork(row.at("model"));
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
  const bool sharded =
      Has(row.at("checkpointing"), "FSDP") || Has(row.at("checkpointing"), "ZeRO-3");
  work.zero = sharded ? 3 : 0;
  return work;
}

double CardGib(const std::string& card) {
  if (const Card* known = FindCard(card)) return UsableGib(*known);
  if (card == "A6000") return 48 * 0.975 - 0.6;
  const size_t dash = card.rfind('-');
  const double gib = std::atof(card.c_str() + (dash == std::string::npos ? 0 : dash + 1));
  return gib > 0 ? gib * 0.975 - 0.6 : 0;
}

struct Tally {
  int right = 0;
  int all = 0;
  double part() const { return all == 0 ? 0 : static_cast<double>(right) / all; }
};

int Main(const char* path, bool json) {
  Tally fit, transformer, convolution;
  int rows = 0;
  for (const Row& row : ReadRows(path)) {
    const auto work = WorkOf(row);
    if (!work) continue;
    ++rows;
    const Estimate e = EstimateMemory(*work);
    const bool fits = row.at("outcome").starts_with("fits");
    const double room = CardGib(row.at("card"));
    if (room > 0 && (fits || row.at("outcome").starts_with("OOM"))) {
      ++fit.all;
      if ((e.total_gib <= room) == fits) ++fit.right;
    }
    const double measured = std::atof(row.at("measured_gib").c_str());
    if (measured <= 0 || !fits) continue;
    // The allocator's own figure holds no context.
    const double cuda = Has(row.at("what_was_measured"), "nvidia-smi") ? 0 : e.parts.back().gib;
    const double ratio = (e.total_gib - cuda) / measured;
    const bool image = work->network.kind == NetworkKind::kConvolutional;
    Tally& tally = image ? convolution : transformer;
    ++tally.all;
    if (std::abs(ratio - 1) <= (image ? 0.25 : 0.15)) ++tally.right;
    if (!json)
      fmt::print("{} {:28.28} {:6} batch {:3} estimate {:6.2f} measured {:6.2f} ratio {:.2f}\n",
                 row.at("id"), row.at("model"), Name(work->method), work->batch, e.total_gib - cuda,
                 measured, ratio);
  }
  if (json) {
    fmt::print(
        "{{\"fitAccuracy\":{:.4f},\"within15Transformer\":{:.4f},\"within25Cnn\":{:.4f},"
        "\"rows\":{}}}\n",
        fit.part(), transformer.part(), convolution.part(), rows);
  } else {
    fmt::print(
        "fits or out of memory: {} of {} right; within 15 % of {} transformers: {}; within "
        "25 % of {} convolutional: {}\n",
        fit.right, fit.all, transformer.all, transformer.right, convolution.all, convolution.right);
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
