#include "advise/models.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pinka::advise {
namespace {

TEST(Networks, AreFoundByWhatTheirNamesBeginWith) {
  const struct {
    const char* asked;
    const char* name;
  } table[] = {{"bert-base", "bert-base"},
               {"bert-base-uncased", "bert-base"},
               {"BERT_large", "bert-large"},
               {"meta-llama/Llama-2-7b-hf", "llama-2-7b"},
               {"meta-llama/Meta-Llama-3-8B", "llama-3-8b"},
               {"Llama-3.1-8B", "llama-3.1-8b"},
               {"gpt2-xl", "gpt2-xl"},
               {"gpt2", "gpt2"},
               {"ResNet50", "resnet-50"},
               {"ViT-B/16", "vit-b/16"},
               {"vit_b_16", "vit-b/16"}};
  for (const auto& row : table) {
    const Network* network = FindNetwork(row.asked);
    ASSERT_NE(network, nullptr) << row.asked;
    EXPECT_EQ(network->name, row.name) << row.asked;
  }
  EXPECT_EQ(FindNetwork("alexnet"), nullptr);
  EXPECT_EQ(FindNetwork(""), nullptr);
}

TEST(Networks, AreReadFromAConfig) {
  const auto llama = ReadConfig(R"({"model_type": "llama", "hidden_size": 4096,
      "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008,
      "vocab_size": 32000, "hidden_act": "silu"})");
  ASSERT_TRUE(llama.ok()) << llama.status();
  EXPECT_NEAR(llama->params / 1e6, 6'740, 10);
  EXPECT_TRUE(llama->gated);
  EXPECT_EQ(llama->kv_heads, 32);
  const auto gpt = ReadConfig(R"({"n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257,
      "tie_word_embeddings": true})");
  ASSERT_TRUE(gpt.ok()) << gpt.status();
  EXPECT_NEAR(gpt->params / 1e6, 124, 3);
}

TEST(Networks, NameWhatAConfigLacks) {
  EXPECT_NE(Message(ReadConfig("[1]").status()).find("no JSON object"), std::string::npos);
  EXPECT_NE(Message(ReadConfig(R"({"hidden_size": 8})").status()).find("num_hidden_layers"),
            std::string::npos);
  EXPECT_NE(Message(ReadConfig(R"({"num_hidden_layers": 8})").status()).find("hidden_size"),
            std::string::npos);
}

TEST(Networks, OfAGivenSizeHaveAboutThatSize) {
  for (const double params : {5e7, 1.1e8, 1.5e9, 7e9, 7e10}) {
    const Network n = TypicalTransformer(params);
    EXPECT_EQ(n.params, params);
    const double body = 12.0 * n.layers * n.hidden * n.hidden;
    EXPECT_LT(std::abs(body / params - 1), 0.25) << params;
  }
}

}  // namespace
}  // namespace pinka::advise
