// Group purchases between the wire and core's rows.
#pragma once

#include <map>

#include "db/reads_packages.h"
#include "pinka/v1/package.pb.h"
#include "scheduler/api/names.h"
#include "scheduler/core/command.h"

namespace pinka::api {

// The command without its actor. `paid_in` is what each member has brought in: the shares where a
// split by contribution names no amounts.
StatusOr<BuyPackage> ConvertPurchase(const v1::BuyPackageRequest& request, const Board& board,
                                     const std::map<MemberId, Money>& paid_in);

void FillPackage(const db::PackageLine& line, v1::Package* out);
void FillPortion(const db::PackageLine& package, const db::PortionLine& line, v1::Portion* out);

}  // namespace pinka::api
