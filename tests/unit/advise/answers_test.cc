#include "advise/answers.h"

#include <gtest/gtest.h>

namespace pinka::advise {
namespace {

TEST(Answers, CardsAreSortedAndPriced) {
  v1::ListCardsRequest request;
  request.set_sort("per-gb");
  const auto cards = ListCards(request);
  ASSERT_TRUE(cards.ok()) << cards.status();
  EXPECT_EQ(cards->cards(0).id(), "t4");
  EXPECT_EQ(cards->cards(0).price_per_gb(), "0.075000");  // 1.2 / 16
  EXPECT_EQ(cards->cards(0).price_per_tflop(), "0.148148");
  EXPECT_EQ(cards->cards(0).price_year(), 2023);
  request.set_sort("colour");
  EXPECT_NE(Message(ListCards(request).status()).find("cannot sort by 'colour'"),
            std::string::npos);
}

TEST(Answers, MemoryTellsFitsAndTheGuidesFormula) {
  v1::AdviseMemoryRequest request;
  request.mutable_workload()->set_network("bert-base");
  request.mutable_workload()->set_batch(32);
  request.set_guide_input_gb(1.2);
  request.add_cards("t4");
  const auto a = AdviseMemory(request);
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_NEAR(a->guide().total_gb(), 2.12, 1e-9);
  EXPECT_EQ(a->fits(0).card(), "t4");
  EXPECT_EQ(a->fits(0).fit(), "no");
}

TEST(Answers, RefuseInOneSentence) {
  const auto refuse = [](auto change) {
    v1::AdviseMemoryRequest request;
    request.mutable_workload()->set_network("bert-base");
    change(request);
    const auto a = AdviseMemory(request);
    return a.ok() ? std::string() : Message(a.status());
  };
  using R = v1::AdviseMemoryRequest&;
  EXPECT_NE(refuse([](R r) { r.mutable_workload()->set_network("bert-bas"); }).find("bert-base"),
            std::string::npos);
  EXPECT_NE(refuse([](R r) { r.mutable_workload()->set_params_m(7); }).find("name one network"),
            std::string::npos);
  EXPECT_NE(refuse([](R r) { r.mutable_workload()->set_method("guess"); }).find("train, lora"),
            std::string::npos);
  EXPECT_NE(refuse([](R r) { r.mutable_workload()->set_zero(4); }).find("stage"),
            std::string::npos);
  EXPECT_NE(refuse([](R r) { r.add_cards("rtx309"); }).find("no card is called"),
            std::string::npos);
}

TEST(Answers, CostIsTheGuides) {
  v1::AdviseCostRequest request;
  request.set_local_ms(8 * 3'600'000);
  request.set_watts(170);
  request.set_kwh("0.8");
  request.set_cloud_ms(2 * 3'600'000);
  request.set_rate("6");
  const auto a = AdviseCost(request);
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_EQ(a->local(), "1.088000");
  EXPECT_EQ(a->cloud_total(), "12.000000");
  EXPECT_EQ(a->break_even(), "0.544000");
  request.set_rate("six");
  EXPECT_NE(Message(AdviseCost(request).status()).find("rate"), std::string::npos);
}

TEST(Answers, CompatNamesTheWheelAndHowToInstallIt) {
  v1::AdviseCompatRequest request;
  request.set_card("p100");
  request.set_driver("550.54");
  request.set_cuda("10.2");
  const auto a = AdviseCompat(request);
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_EQ(a->newest_torch() + " " + a->newest_wheel(), "2.14 cu126");
  EXPECT_NE(a->install().find("/cu126"), std::string::npos);
  EXPECT_NE(a->notes(a->notes_size() - 1).find("below 11.0"), std::string::npos);
}

TEST(Answers, CardsForWorkAreRanked) {
  v1::AdviseCardRequest request;
  request.mutable_workload()->set_network("vit-b/16");
  request.mutable_workload()->set_batch(64);
  const auto a = AdviseCard(request);
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_EQ(a->choices_size(), 5);
  EXPECT_EQ(a->choices(0).fit(), "yes");
  request.set_reference_ms(1);
  EXPECT_NE(Message(AdviseCard(request).status()).find("on which card"), std::string::npos);
}

TEST(Answers, ProvidersHaveRulesAndTraps) {
  const auto all = ListProviders({});
  ASSERT_TRUE(all.ok());
  EXPECT_GE(all->providers_size(), 9);
  for (const v1::Provider& p : all->providers()) EXPECT_FALSE(p.trap().empty()) << p.name();
  v1::ListProvidersRequest one;
  one.set_name("autodl");
  EXPECT_EQ(ListProviders(one)->providers(0).name(), "AutoDL");
  one.set_name("nobody");
  EXPECT_FALSE(ListProviders(one).ok());
}

}  // namespace
}  // namespace pinka::advise
