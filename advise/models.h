// Networks by name, and what the memory estimate needs to know of them. Figures from their authors'
// papers and model cards.
//
//   const Network* bert = FindNetwork("bert-base-uncased");
//   StatusOr<Network> mine = ReadConfig(R"({"hidden_size": 4096, …})");   // Hugging Face
//   config.json
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace pinka::advise {

enum class NetworkKind { kTransformer, kVisionTransformer, kConvolutional };

struct Network {
  std::string name;
  NetworkKind kind = NetworkKind::kTransformer;
  double params = 0;  // all of them
  // Transformers.
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int kv_heads = 0;
  int ffn = 0;         // width of the feed-forward part
  bool gated = false;  // SwiGLU and the like: three matrices
  int vocab = 0;
  bool tied = false;       // embedding and head are one matrix
  bool token_head = true;  // logits for every token; not where one label is wanted
  int patches = 0;         // tokens an image, at `image` pixels
  // Convolutional: values that layers give, an image of `image` pixels square, in millions.
  double activations_m = 0;
  int image = 224;
  double kept = 2;           // values that the backward pass needs for each that a layer gives
  double widest_filter = 0;  // inputs x outputs of its widest filter of 3 x 3; 0: only narrow ones
  bool halves_first =
      true;  // its first layers halve the sides twice; variants for 32 pixels do not
};

std::span<const Network> Networks();
// By name, whatever its case; "bert-base-uncased" and "Llama-2-7b-hf" find what they begin with.
const Network* FindNetwork(std::string_view name);
std::string NearestNetwork(std::string_view name);

// A transformer from Hugging Face's config.json; InvalidArgument names the key that is missing.
StatusOr<Network> ReadConfig(std::string_view json);
// A transformer of so many parameters in the shape that such models usually have.
Network TypicalTransformer(double params);

}  // namespace pinka::advise
