// Which PyTorch runs on which card and driver, and what never will. Facts from NVIDIA's release
// notes and PyTorch's RELEASE.md; a wheel carries its own CUDA, so that only driver and card
// decide.
//
//   const Compatibility c = Compatible(*FindCard("p100"), Version::Of("550.54"));
//   c.newest  // {"2.14", "cu126", …}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/cards.h"
#include "catalogue/version.h"

namespace pinka::advise {

struct Wheel {
  std::string torch;   // "2.14"
  std::string cuda;    // "12.6"
  std::string wheel;   // "cu126"
  std::string python;  // ">= 3.10"
  bool experimental = false;
  bool runs = false;
  std::string why;  // why not, or what to mind
};

struct Compatibility {
  std::vector<Wheel> wheels;  // newest first
  std::optional<Wheel> newest;
  std::string cuda_most;           // the newest CUDA that this driver serves: "12.9"; "" none
  std::vector<std::string> notes;  // sentences for people
};

// Without a driver: what the card itself allows with the newest one.
Compatibility Compatible(const Card& card, std::optional<Version> driver);

// The least Linux driver of a CUDA toolkit ("11.8"); nothing where it is not known. By
// minor-version compatibility a wheel needs less (`for_wheel`).
std::optional<Version> DriverFor(std::string_view cuda, bool for_wheel);
// "the installed CUDA 10.2 cannot …" for what people have read; "" where it is fine.
std::string WhatCudaForbids(const Version& cuda);

}  // namespace pinka::advise
