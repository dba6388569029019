// Packages and portions for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client/cli/core/session.h"
#include "pinka/v1/package.pb.h"

namespace pinka::cli {

// "12.500000" as "12.50 h", "" as "-".
std::string HoursText(const std::string& wire);

// "a=1,王芳=2" as pairs; a name may hold '=', the number comes behind the last one.
StatusOr<std::vector<std::pair<std::string, std::string>>> ParseShares(const std::string& text);
// "a,b": none empty.
StatusOr<std::vector<std::string>> ParseNames(const std::string& text);

// own = used - borrowed + lent + held + left (+ lapsed).
void PrintPortions(Session& session, const Lab& lab, const std::string& currency,
                   const std::vector<v1::Portion>& portions);
// Everything about a package, its portions last.
void PrintPackage(Session& session, const Lab& lab, const std::string& currency,
                  const v1::Package& package);

}  // namespace pinka::cli
