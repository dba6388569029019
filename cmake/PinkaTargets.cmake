# How this house builds: one flag set, a few finders, two functions.
#   pinka_library(NAME SOURCES a.cc b.cc DEPS x y PCH pinka_pch_grpc)   a static library
#   pinka_program(NAME SOURCES main.cc DEPS x y)       a program in build/bin
#   pinka_test(NAME LABELS unit SOURCES a_test.cc DEPS x y)   a GoogleTest program run by ctest

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/cached_compile ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

option(PINKA_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(GTest REQUIRED)
find_package(absl REQUIRED)
find_package(Protobuf REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(GRPC REQUIRED IMPORTED_TARGET grpc++)

add_library(pinka_flags INTERFACE)
target_include_directories(pinka_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
# GCC 12 sees overlaps and overflows inside std::string that are not there; from a precompiled header
# they no longer count as a system header's.
target_compile_options(pinka_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
                       -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                       -ffunction-sections -fdata-sections)
target_link_options(pinka_flags INTERFACE -Wl,--gc-sections)
if(PINKA_SANITIZE)
  add_compile_options(-fsanitize=address -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# The undefined-behaviour checks go where our own logic is: through gRPC's templates they compile for
# a minute a file.
function(pinka_check_undefined name)
  if(PINKA_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=undefined -fno-sanitize-recover=undefined)
  endif()
endfunction()

# Precompiled headers, each set for those who include most of it: pinka_pch_std, pinka_pch_test,
# and pinka_pch_grpc (proto/) with the messages. Sources still include what they use.
set(std_headers <algorithm> <atomic> <chrono> <condition_variable> <deque> <functional> <map> <memory>
    <mutex> <optional> <set> <span> <string> <string_view> <thread> <tuple> <unordered_map> <utility>
    <variant> <vector> <absl/status/status.h> <absl/status/statusor.h> <fmt/format.h>)
function(pinka_pch name)
  cmake_parse_arguments(A "CHECKED" "" "HEADERS;DEPS" ${ARGN})
  set(source ${CMAKE_BINARY_DIR}/${name}.cc)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(${name} STATIC ${source})
  target_compile_options(${name} PRIVATE -fpch-preprocess)  # for ccache
  if(A_CHECKED)
    pinka_check_undefined(${name})
  endif()
  target_link_libraries(${name} PRIVATE pinka_flags fmt::fmt absl::status absl::statusor
                        Threads::Threads ${A_DEPS})
  target_precompile_headers(${name} PRIVATE ${std_headers} ${A_HEADERS})
endfunction()
pinka_pch(pinka_pch_std CHECKED)
pinka_pch(pinka_pch_test CHECKED HEADERS <gmock/gmock.h> <gtest/gtest.h> DEPS GTest::gmock)

function(pinka_use_pch name pch)
  target_compile_options(${name} PRIVATE -fpch-preprocess)
  target_precompile_headers(${name} REUSE_FROM ${pch})
endfunction()

function(pinka_library name)
  cmake_parse_arguments(A "" "PCH" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  target_link_libraries(${name} PUBLIC pinka_flags ${A_DEPS})
  if(NOT A_PCH)
    set(A_PCH pinka_pch_std)
    pinka_check_undefined(${name})
  endif()
  pinka_use_pch(${name} ${A_PCH})
endfunction()

# All of them but those FOR_TESTS are the target `programs`: what quickstart builds.
add_custom_target(programs)
function(pinka_program name)
  cmake_parse_arguments(A "FOR_TESTS" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE pinka_flags ${A_DEPS})
  if(NOT A_FOR_TESTS)
    add_dependencies(programs ${name})
  endif()
endfunction()

# What `tests/run --asan` builds: tests of the labels unit, db and agent.
add_custom_target(sanitized)

# A test that needs more than itself names its fixture (see tests/CMakeLists.txt): FIXTURES postgres.
function(pinka_test name)
  cmake_parse_arguments(A "" "TIMEOUT" "SOURCES;DEPS;LABELS;FIXTURES" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE pinka_flags ${A_DEPS} GTest::gmock GTest::gtest_main)
  pinka_use_pch(${name} pinka_pch_test)
  pinka_check_undefined(${name})
  add_test(NAME ${name} COMMAND ${name})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${A_LABELS}" TIMEOUT ${A_TIMEOUT})
  if(NOT A_LABELS MATCHES "torture")
    add_dependencies(sanitized ${name})
  endif()
  if(A_FIXTURES)
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED "${A_FIXTURES}")
  endif()
endfunction()
