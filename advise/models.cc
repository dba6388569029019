#include "advise/models.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "fmt/format.h"

namespace pinka::advise {
namespace {

Network Text(std::string name, double params_m, int layers, int hidden, int heads, int kv_heads,
             int ffn, bool gated, int vocab) {
  Network n;
  n.name = std::move(name);
  n.params = params_m * 1e6;
  n.layers = layers;
  n.hidden = hidden;
  n.heads = heads;
  n.kv_heads = kv_heads;
  n.ffn = ffn;
  n.gated = gated;
  n.vocab = vocab;
  return n;
}

Network Encoder(std::string name, double params_m, int layers, int hidden, int heads, int vocab) {
  Network n =
      Text(std::move(name), params_m, layers, hidden, heads, heads, 4 * hidden, false, vocab);
  n.token_head = false;
  n.tied = true;
  return n;
}

Network Vision(std::string name, double params_m, int layers, int hidden, int heads, int patch) {
  Network n = Text(std::move(name), params_m, layers, hidden, heads, heads, 4 * hidden, false, 0);
  n.kind = NetworkKind::kVisionTransformer;
  n.token_head = false;
  n.patches = (224 / patch) * (224 / patch) + 1;
  return n;
}

// Each layer is a convolution whose values its normalisation needs, and what comes behind it: a
// ReLU in place, whose result is also the next layer's input.
Network Convolution(std::string name, double params_m, double activations_m, double widest_filter) {
  Network n;
  n.name = std::move(name);
  n.kind = NetworkKind::kConvolutional;
  n.params = params_m * 1e6;
  n.activations_m = activations_m;
  n.widest_filter = widest_filter;
  return n;
}

// SiLU and hard swish need their input in the backward pass: in place they copy it.
Network Smooth(std::string name, double params_m, double activations_m) {
  Network n = Convolution(std::move(name), params_m, activations_m, 0);
  n.kept = 3;
  return n;
}

// Without a strided stem; with `kept` 1 there is no normalisation either.
Network Plainly(std::string name, double params_m, double activations_m, double widest_filter,
                double kept, int image = 224) {
  Network n = Convolution(std::move(name), params_m, activations_m, widest_filter);
  n.kept = kept;
  n.halves_first = false;
  n.image = image;
  return n;
}

std::vector<Network> AllNetworks() {
  return {
      Encoder("bert-base", 110, 12, 768, 12, 30'522),
      Encoder("bert-large", 335, 24, 1'024, 16, 30'522),
      Encoder("roberta-base", 125, 12, 768, 12, 50'265),
      Encoder("roberta-large", 355, 24, 1'024, 16, 50'265),
      Encoder("distilbert", 66, 6, 768, 12, 30'522),
      Text("gpt2", 124, 12, 768, 12, 12, 3'072, false, 50'257),
      Text("gpt2-medium", 355, 24, 1'024, 16, 16, 4'096, false, 50'257),
      Text("gpt2-large", 774, 36, 1'280, 20, 20, 5'120, false, 50'257),
      Text("gpt2-xl", 1'558, 48, 1'600, 25, 25, 6'400, false, 50'257),
      Text("phi-1.5", 1'420, 24, 2'048, 32, 32, 8'192, false, 51'200),
      Text("stablelm-alpha-3b", 3'640, 16, 4'096, 32, 32, 16'384, false, 50'688),
      Text("bloomz-7b1", 7'070, 30, 4'096, 32, 32, 16'384, false, 250'880),
      Text("falcon-7b", 7'220, 32, 4'544, 71, 1, 18'176, false, 65'024),
      Text("falcon-40b", 41'300, 60, 8'192, 128, 8, 32'768, false, 65'024),
      Text("llama-2-7b", 6'740, 32, 4'096, 32, 32, 11'008, true, 32'000),
      Text("llama-2-13b", 13'020, 40, 5'120, 40, 40, 13'824, true, 32'000),
      Text("llama-2-70b", 68'980, 80, 8'192, 64, 8, 28'672, true, 32'000),
      Text("codellama-34b", 33'740, 48, 8'192, 64, 8, 22'016, true, 32'000),
      Text("llama-3.2-3b", 3'210, 28, 3'072, 24, 8, 8'192, true, 128'256),
      Text("llama-3.1-8b", 8'030, 32, 4'096, 32, 8, 14'336, true, 128'256),
      Text("llama-3-8b", 8'030, 32, 4'096, 32, 8, 14'336, true, 128'256),
      Text("llama-3.1-70b", 70'550, 80, 8'192, 64, 8, 28'672, true, 128'256),
      Text("mistral-7b", 7'240, 32, 4'096, 32, 8, 14'336, true, 32'000),
      Text("qwen2.5-7b", 7'620, 28, 3'584, 28, 4, 18'944, true, 152'064),
      Vision("vit-b/16", 86.6, 12, 768, 12, 16),
      Vision("vit-l/16", 304, 24, 1'024, 16, 16),
      Vision("vit-b/32", 88.2, 12, 768, 12, 32),
      Convolution("resnet-18", 11.7, 2.5, 512 * 512),
      Convolution("resnet-34", 21.8, 3.7, 512 * 512),
      Convolution("resnet-50", 25.6, 11.1, 512 * 512),
      Convolution("resnet-101", 44.5, 16.2, 512 * 512),
      Convolution("resnet-152", 60.2, 22.6, 512 * 512),
      Plainly("vgg-16", 138, 13.6, 512 * 512, 1.25),
      Plainly("vgg-11-bn", 133, 7.4, 512 * 512, 2),
      Convolution("mobilenet-v2", 3.5, 6.7, 0),
      Smooth("mobilenet-v3-large", 5.5, 4.4),
      Smooth("mobilenet-v3-small", 2.5, 1.4),
      Smooth("efficientnet-b0", 5.3, 6.7),
      Convolution("densenet-121", 8.0, 6.9, 128 * 32),
      Plainly("unet", 31.0, 120, 1'024 * 512, 2, 512),
  };
}

// In lower case and without what people write between the parts: "ViT-B/16" is "vitb16". Of
// "meta-llama/Llama-2-7b-hf" the owner goes.
std::string Plain(std::string_view name) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const std::string_view last = name.substr(name.rfind('/') + 1);
  if (std::ranges::any_of(last, letter)) name = last;
  std::string out;
  for (const char c : name) {
    if (letter(c) || c == '.' || std::isdigit(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

}  // namespace

std::span<const Network> Networks() {
  static const std::vector<Network> all = AllNetworks();
  return all;
}

const Network* FindNetwork(std::string_view name) {
  std::string plain = Plain(name);
  if (plain.starts_with("metallama")) plain.erase(0, 4);
  const Network* best = nullptr;
  for (const Network& network : Networks()) {
    const std::string known = Plain(network.name);
    if (plain.starts_with(known) && (!best || known.size() > Plain(best->name).size()))
      best = &network;
  }
  return best;
}

std::string NearestNetwork(std::string_view name) {
  std::vector<std::string> names;
  for (const Network& network : Networks()) names.push_back(network.name);
  return Nearest(name, names);
}

StatusOr<Network> ReadConfig(std::string_view text) {
  google::protobuf::Struct config;
  if (!google::protobuf::util::JsonStringToMessage(std::string(text), &config).ok())
    return Invalid("this is no config.json: it holds no JSON object");
  const auto& fields = config.fields();
  const auto number = [&fields](std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      const auto it = fields.find(key);
      const double value = it == fields.end() ? 0 : it->second.number_value();
      if (value > 0 && value < 1e7) return static_cast<int>(value);
    }
    return 0;
  };
  const auto word = [&fields](const char* key) {
    const auto it = fields.find(key);
    return it == fields.end() ? std::string() : it->second.string_value();
  };
  Network n;
  n.name = word("_name_or_path").empty() ? word("model_type") : word("_name_or_path");
  n.layers = number({"num_hidden_layers", "n_layer", "num_layers"});
  n.hidden = number({"hidden_size", "n_embd", "d_model"});
  n.heads = number({"num_attention_heads", "n_head", "num_heads"});
  n.vocab = number({"vocab_size"});
  if (n.layers == 0) return Invalid("config.json has no num_hidden_layers");
  if (n.hidden == 0) return Invalid("config.json has no hidden_size");
  if (n.heads == 0) return Invalid("config.json has no num_attention_heads");
  if (n.vocab == 0) return Invalid("config.json has no vocab_size");
  n.kv_heads = number({"num_key_value_heads", "num_kv_heads"});
  if (n.kv_heads == 0) n.kv_heads = n.heads;
  n.ffn = number({"intermediate_size", "n_inner", "ffn_dim", "d_ff"});
  if (n.ffn == 0) n.ffn = 4 * n.hidden;
  n.gated = word("hidden_act") == "silu";
  const auto tied = fields.find("tie_word_embeddings");
  n.tied = tied != fields.end() && tied->second.bool_value();
  const double h = n.hidden;
  const double kv = h * n.kv_heads / n.heads;
  const double layer = 2 * h * h + 2 * h * kv + (n.gated ? 3 : 2) * h * n.ffn + 4 * h;
  n.params = n.layers * layer + (n.tied ? 1 : 2) * h * n.vocab;
  return n;
}

Network TypicalTransformer(double params) {
  // params = 12 x layers x hidden^2 and hidden = 128 x layers, as models of all sizes come near to.
  Network n = Text(fmt::format("{:.3g}M parameters", params / 1e6), params / 1e6, 0, 0, 0, 0, 0,
                   params >= 1e9, 32'000);
  const double layers = std::cbrt(params / (12.0 * 128 * 128));
  n.layers = std::max(2, static_cast<int>(std::lround(layers)));
  n.hidden =
      64 * std::max(1, static_cast<int>(std::lround(std::sqrt(params / 12 / n.layers) / 64)));
  n.heads = n.kv_heads = std::max(1, n.hidden / 64);
  n.ffn = n.gated ? n.hidden * 8 / 3 : 4 * n.hidden;
  return n;
}

}  // namespace pinka::advise
