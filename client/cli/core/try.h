// Early return for Status and StatusOr, so that a command reads as the steps it takes.
//
//   PINKA_TRY(session.Confirm("…"));
//   PINKA_TRY_ASSIGN(auto job, session.api().GetJob(request));
#pragma once

#include <utility>

#include "base/status.h"

#define PINKA_TRY(expr)                                                           \
  do {                                                                            \
    if (::pinka::Status try_status = (expr); !try_status.ok()) return try_status; \
  } while (false)

#define PINKA_TRY_CONCAT2(a, b) a##b
#define PINKA_TRY_CONCAT(a, b) PINKA_TRY_CONCAT2(a, b)
#define PINKA_TRY_ASSIGN(lhs, expr) PINKA_TRY_ASSIGN2(PINKA_TRY_CONCAT(try_, __LINE__), lhs, expr)
#define PINKA_TRY_ASSIGN2(holder, lhs, expr) \
  auto holder = (expr);                      \
  if (!holder.ok()) return holder.status();  \
  lhs = std::move(*holder)
