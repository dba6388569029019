#include "advise/providers.h"

#include <algorithm>
#include <cctype>

namespace pinka::advise {
namespace {

constexpr Provider kProviders[] = {
    {"AutoDL", "China", "second", "0.01 yuan",
     "GPU free and not kept for you; the paid data disk is settled daily", "none", "?",
     "prices made for students and labs",
     "each stretch of use is rounded up to a cent and cut at the full hour, Beijing time: many "
     "short "
     "runs cost more than one long"},
    {"Aliyun", "China", "second, billed by the hour", "?",
     "economical mode: disks only; a plain stop goes on costing everything",
     "about 10 % of the price at best; one hour protected by default, then taken about 5 min after "
     "the "
     "notice",
     "about 1.0 yuan/GB", "300 yuan for verified students",
     "a restart in economical mode may fail when there is no stock"},
    {"Tencent", "China", "second, settled by the hour", "?",
     "compute and memory free; disk, bandwidth and image cost; the address is gone",
     "10 to 20 % of the list price; taken for stock or price", "about 0.8 yuan/GB",
     "often a tenth of the price for new customers", "the discount ends; the disk stays"},
    {"gpushare", "China", "second, settled by the hour", "?", "?", "none", "?",
     "price frozen when ordered",
     "day and week machines cannot be changed while they are paid for"},
    {"AWS", "world", "second", "60 s", "only the disk (EBS)",
     "a third of the price and less; 120 s notice", "100 GB a month free, then 0.09 $/GB",
     "spot at a third of the price", "data out of the cloud costs; so does a forgotten disk"},
    {"Google Cloud", "world", "second", "60 s", "only the disk", "up to 91 % off; 30 s notice",
     "0.12 $/GiB", "", "the price of a GPU is without its machine"},
    {"Azure", "world", "?", "?", "\"deallocated\" is free, \"stopped\" inside it is not",
     "at most 30 s, best effort", "100 GB free, then 0.087 $/GB", "",
     "shutting down from inside the machine goes on costing"},
    {"Lambda", "world", "?", "?", "cannot be stopped, only ended", "none", "?",
     "the A100 for the money", "ending it loses what was on its disk"},
    {"RunPod", "world", "second", "?", "GPU free, the volume costs", "?", "none", "",
     "a pod ends by itself when the balance is used up"},
    {"Vast.ai", "world", "second", "?", "storage costs while it rests",
     "half and less; outbid means paused", "set by each host", "rents idle cards of private people",
     "hosts differ: check the card, and keep no secrets there"},
    {"Colab", "world", "units bought", "?", "ends by itself", "none", "none",
     "light work (needs a way to reach it)", "what card one gets is not promised"},
};

bool Same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

}  // namespace

std::span<const Provider> Providers() { return kProviders; }

const Provider* FindProvider(std::string_view name) {
  for (const Provider& p : kProviders) {
    if (Same(p.name, name)) return &p;
  }
  return nullptr;
}

}  // namespace pinka::advise
