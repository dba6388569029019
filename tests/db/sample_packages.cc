#include "tests/db/sample_packages.h"

#include "tests/db/sample.h"

namespace pinka::testing {
namespace {

constexpr MemberId kAlice{1};
constexpr TierId kA100{3};
constexpr PackageId kPackage{40};
constexpr AssetId kUnitTime{40};
constexpr LotId kPortion{41};

}  // namespace

PackageRow SamplePackage() {
  return {.id = kPackage,
          .tier = kA100,
          .kind = PackageKind::kCapacity,
          .provider = "算力云",
          .payer = kAlice,
          .price = Money::Whole(800),
          .total_ms = int64_t{700} * 3'600'000,
          .units = 2,
          .bought_at = At(3),
          .starts_at = At(4),
          .ends_at = At(9'000),
          .split = SplitRule::kContribution,
          .borrow = BorrowRule::kLimit,
          .borrow_ms = 77,
          .lapse_to = LapseTo::kOverhead,
          .inventory = AccountId(14),
          .used_ms = 5,
          .moved = Money::Micros(2),
          .lapsed = Money::Micros(3),
          .closed_at = {}};
}

PortionRow SamplePortion() {
  return {.package = kPackage,
          .member = kAlice,
          .share = 6,
          .total_ms = 700,
          .cost = Money::Whole(8),
          .lot = kPortion,
          .borrowed_ms = 9,
          .borrowing_ms = 10,
          .lapsed_ms = 11,
          .lapsed = Money::Micros(12)};
}

LotRow SamplePortionLot() {
  return {.id = kPortion,
          .account = AccountId(15),
          .asset = kUnitTime,
          .owner = OwnedBy(kAlice),
          .tier = kA100,
          .starts_at = At(3),
          .ends_at = At(9'000),
          .credited = {},
          .posted = {},
          .held = {},
          .credit_limit = {},
          .lapsed = false,
          .payer = {}};
}

}  // namespace pinka::testing
