// Sizes that a request may have, so that what is accepted can also be started (execve's E2BIG) and
// gRPC's own limits never speak first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pinka::api {

// One string of argv or of the environment, NUL not counted: the kernel's MAX_ARG_STRLEN less one.
inline constexpr size_t kMostString = 131'071;
// All of argv and the environment with their NULs and pointers: a quarter of the usual 8 MiB stack,
// less room for the variables that the agent adds.
inline constexpr size_t kMostArguments = (size_t{2} << 20) - (size_t{32} << 10);
inline constexpr size_t kMostScript = size_t{4} << 20;
inline constexpr int kMostMessage = 32 << 20;  // what the server reads of one request

inline constexpr int kMostNameChars = 100;
inline constexpr int kMostTextChars = 1'000;
inline constexpr int kMostPathChars = 4'096;
inline constexpr size_t kMostRequestId = 200;
inline constexpr size_t kMostArraySpec = size_t{64} << 10;
inline constexpr size_t kMostDependency = size_t{64} << 10;
inline constexpr int kMostSpecs = 1'000;  // of one submit
inline constexpr int kMostSlices = 10'000;
inline constexpr int32_t kMostPage = 1'000;
inline constexpr int32_t kMostJobsPage = 5'000;  // or kMostPageBytes of them
inline constexpr size_t kMostPageBytes = size_t{3} << 20;

}  // namespace pinka::api
