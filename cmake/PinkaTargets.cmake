# How this house builds: one flag set, a few finders, two functions.
#   pinka_library(NAME SOURCES a.cc b.cc DEPS x y)     a static library
#   pinka_program(NAME SOURCES main.cc DEPS x y)       a program in build/bin
#   pinka_test(NAME LABELS unit SOURCES a_test.cc DEPS x y)   a GoogleTest program run by ctest

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
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
target_compile_options(pinka_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
                       -ffunction-sections -fdata-sections)
target_link_options(pinka_flags INTERFACE -Wl,--gc-sections)
if(PINKA_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()

function(pinka_library name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  target_link_libraries(${name} PUBLIC pinka_flags ${A_DEPS})
endfunction()

# All of them together are the target `programs`: what quickstart builds.
add_custom_target(programs)
function(pinka_program name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE pinka_flags ${A_DEPS})
  add_dependencies(programs ${name})
endfunction()

# A test that needs more than itself names its fixture (see tests/CMakeLists.txt): FIXTURES postgres.
function(pinka_test name)
  cmake_parse_arguments(A "" "TIMEOUT" "SOURCES;DEPS;LABELS;FIXTURES" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE pinka_flags ${A_DEPS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${A_LABELS}" TIMEOUT ${A_TIMEOUT})
  if(A_FIXTURES)
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED "${A_FIXTURES}")
  endif()
endfunction()
