#include "client/cli/core/workload.h"

#include <map>
#include <sstream>

#include "base/file.h"
#include "base/parse.h"
#include "client/cli/core/try.h"
#include "fmt/format.h"

namespace pinka::cli {
namespace {

// Millions of "110M", "7B", "7.2b"; a number alone counts millions.
StatusOr<double> ParseParams(const std::string& text) {
  std::string digits = text;
  double unit = 1;
  if (!digits.empty() && (digits.back() == 'B' || digits.back() == 'b')) unit = 1'000;
  if (unit > 1 || (!digits.empty() && (digits.back() == 'M' || digits.back() == 'm')))
    digits.pop_back();
  const StatusOr<Money> number = ParseMoney(digits);  // up to six decimals
  if (!number.ok() || *number <= Money())
    return Invalid(fmt::format("'{}' is no count of parameters; write 110M or 7B", text));
  return static_cast<double>(number->micros()) / 1e6 * unit;
}

StatusOr<int32_t> Count(const std::string& text, const char* what, int64_t most) {
  if (text.empty()) return 0;
  PINKA_TRY_ASSIGN(const int64_t value, ParseInt(text, 1, most, what));
  return static_cast<int32_t>(value);
}

}  // namespace

void DeclareWorkload(Options& options, WorkloadOptions* to) {
  options.Value("--model", "NAME", "bert-base, llama-2-7b, resnet-50, vit-b/16 …", &to->model);
  options.Value("--config", "FILE", "or Hugging Face's config.json", &to->config);
  options.Value("--params", "N", "or a count of parameters: 110M, 7B", &to->params);
  options.Value("--method", "M", "train (default), lora, qlora, infer", &to->method);
  options.Value("--precision", "P", "fp32 (default), amp, fp16, bf16, 4bit", &to->precision);
  options.Value("--optimizer", "O", "adam (default), adam8bit, adafactor, momentum, sgd",
                &to->optimizer);
  options.Value("--batch", "N", "samples at once on one card (1)", &to->batch);
  options.Value("--tokens", "N", "of a sequence (512)", &to->tokens);
  options.Value("--image", "PIXELS", "a side of an image (the network's own)", &to->image);
  options.Value("--cards", "N", "data parallel over so many (1)", &to->cards);
  options.Value("--zero", "STAGE", "ZeRO 1 to 3 over them; FSDP is 3", &to->zero);
  options.Flag("--checkpointing", "activations are computed again, not kept", &to->checkpointing);
  options.Flag("--flash", "attention without its square of tokens", &to->flash);
  options.Flag("--compile", "torch.compile: what is cheap is computed again", &to->compiled);
  options.Flag("--chunked-loss", "the loss sees a part of the tokens at a time", &to->chunked_loss);
  options.Flag("--offload", "with --zero 3: weights and states in the host's memory", &to->offload);
  options.Flag("--loads-whole", "with --zero 3: each card holds all weights while they load",
               &to->loads_whole);
}

StatusOr<v1::Workload> WorkloadOf(const WorkloadOptions& options) {
  v1::Workload w;
  w.set_network(options.model);
  if (!options.config.empty()) {
    PINKA_TRY_ASSIGN(std::string text, ReadFile(options.config));
    w.set_config_json(std::move(text));
  }
  if (!options.params.empty()) {
    PINKA_TRY_ASSIGN(const double millions, ParseParams(options.params));
    w.set_params_m(millions);
  }
  w.set_method(options.method);
  w.set_precision(options.precision);
  w.set_optimizer(options.optimizer);
  PINKA_TRY_ASSIGN(const int32_t batch, Count(options.batch, "--batch", 1 << 20));
  PINKA_TRY_ASSIGN(const int32_t tokens, Count(options.tokens, "--tokens", 1 << 22));
  PINKA_TRY_ASSIGN(const int32_t image, Count(options.image, "--image", 1 << 14));
  PINKA_TRY_ASSIGN(const int32_t cards, Count(options.cards, "--cards", 4'096));
  PINKA_TRY_ASSIGN(const int32_t zero, Count(options.zero, "--zero", 3));
  w.set_batch(batch);
  w.set_tokens(tokens);
  w.set_image(image);
  w.set_cards(cards);
  w.set_zero(zero);
  w.set_checkpointing(options.checkpointing);
  w.set_flash(options.flash);
  w.set_compiled(options.compiled);
  w.set_chunked_loss(options.chunked_loss);
  w.set_offload(options.offload);
  w.set_loads_whole(options.loads_whole);
  return w;
}

StatusOr<v1::Workload> ParseWorkload(const std::string& text) {
  WorkloadOptions options;
  const std::map<std::string, std::string*> values = {{"model", &options.model},
                                                      {"config", &options.config},
                                                      {"params", &options.params},
                                                      {"method", &options.method},
                                                      {"precision", &options.precision},
                                                      {"optimizer", &options.optimizer},
                                                      {"batch", &options.batch},
                                                      {"tokens", &options.tokens},
                                                      {"image", &options.image},
                                                      {"cards", &options.cards},
                                                      {"zero", &options.zero}};
  const std::map<std::string, bool*> flags = {{"checkpointing", &options.checkpointing},
                                              {"flash", &options.flash},
                                              {"compile", &options.compiled},
                                              {"chunked-loss", &options.chunked_loss},
                                              {"offload", &options.offload},
                                              {"loads-whole", &options.loads_whole}};
  std::istringstream words(text);
  std::string word;
  for (bool first = true; words >> word; first = false) {
    const size_t equals = word.find('=');
    const auto flag = flags.find(word);
    const auto value = values.find(word.substr(0, equals));
    if (equals != std::string::npos && value != values.end()) {
      *value->second = word.substr(equals + 1);
    } else if (equals == std::string::npos && flag != flags.end()) {
      *flag->second = true;
    } else if (equals == std::string::npos && first) {
      options.model = word;
    } else {
      return Invalid(
          fmt::format("'{}' says nothing of a workload; write a model and what `pinka "
                      "advise vram` takes, as in \"bert-large batch=32 precision=amp\"",
                      word));
    }
  }
  return WorkloadOf(options);
}

}  // namespace pinka::cli
