#!/usr/bin/env python3
"""Plants one fault a tree and expects check_source.py to find it, and nothing in clean trees."""

import contextlib
import io
import os
import tempfile
import unittest

import check_source
import cpp_text

CLEAN = {
    "scheduler/core/hold.cc": '#include "base/money.h"\n#include <vector>\nint Hold() { return 1; }\n',
    "tests/unit/core/hold_test.cc": '#include "scheduler/core/hold.h"\n#include <thread>\n',
}


def run(tree, *options):
    """(status, output) of the check over a tree of {path: text}; the tree is updated afterwards."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in tree.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = check_source.main(["--root", root, *options])
        for path in tree:
            tree[path] = check_source.read(root, path)
    return status, out.getvalue()


def function(lines):
    return "int Long(int x) {\n" + "  ++x;\n" * (lines - 3) + "  return x;\n}\n"


class Includes(unittest.TestCase):
    def test_finds_nothing_in_a_clean_tree(self):
        self.assertEqual(run(dict(CLEAN)), (0, ""))

    def test_finds_a_planted_include_that_its_layer_may_not_have(self):
        for path, header in [
            ("base/a.h", "scheduler/core/types.h"),
            ("base/a.h", "spdlog/spdlog.h"),
            ("scheduler/core/hold.cc", "db/store.h"),
            ("scheduler/core/hold.cc", "pinka/v1/job.pb.h"),
            ("scheduler/core/hold.cc", "base/clock.h"),
            ("scheduler/core/hold.cc", "thread"),
            ("scheduler/core/hold.cc", "sys/stat.h"),
            ("scheduler/runtime/pipeline/a.h", "scheduler/runtime/inbox.h"),
            ("agent/core/a.h", "scheduler/core/types.h"),
            ("db/a.h", "scheduler/runtime/runtime.h"),
            ("scheduler/runtime/a.h", "libpq-fe.h"),
            ("scheduler/runtime/a.h", "scheduler/engine/slurm.h"),
            ("scheduler/check/a.h", "scheduler/core/lots.h"),
            ("scheduler/sim/a.h", "db/store.h"),
            ("scheduler/sim/a.h", "grpcpp/grpcpp.h"),
            ("agent/a.h", "scheduler/core/types.h"),
            ("client/cli/a.h", "scheduler/sim/world.h"),
        ]:
            with self.subTest(path=path, header=header):
                brackets = ('"%s"' if "/" in header else "<%s>") % header
                status, out = run(CLEAN | {path: f"// one\n#include {brackets}\n"})
                self.assertEqual(status, 1)
                self.assertIn(f"{path}:2: ", out)
                self.assertIn(header, out)

    def test_lets_layers_include_what_is_below_them(self):
        for path, header in [
            ("scheduler/runtime/a.h", "scheduler/engine/engine.h"),
            ("scheduler/runtime/a.h", "scheduler/runtime/pipeline/batch.h"),
            ("scheduler/sim/a.h", "agent/core/plan.h"),
            ("agent/a.h", "agent/core/plan.h"),
            ("scheduler/main.cc", "scheduler/engine/slurm.h"),
            ("client/cli/a.h", "sys/ioctl.h"),
        ]:
            with self.subTest(path=path, header=header):
                self.assertEqual(run(CLEAN | {path: f'#include "{header}"\n'}), (0, ""))


class Words(unittest.TestCase):
    def expect(self, body, why):
        for path in ["scheduler/core/hold.cc", "scheduler/runtime/pipeline/a.cc", "agent/core/a.cc"]:
            with self.subTest(path=path, body=body):
                status, out = run(CLEAN | {path: body + "\n"})
                self.assertEqual(status, 1, out)
                self.assertIn(f"{path}:1: ", out)
                self.assertIn(why, out)

    def test_finds_clocks(self):
        self.expect("auto F() { return std::chrono::system_clock::now(); }", "clock")
        self.expect("auto F() { return time(nullptr); }", "clock")

    def test_finds_threads_and_logging(self):
        self.expect("void F() { std::mutex m; }", "threads")
        self.expect('void F() { spdlog::info("x"); }', "logs")

    def test_finds_floating_point(self):
        self.expect("double F();", "floating point")
        self.expect("int F() { return int(1.5 * 2); }", "floating point")

    def test_finds_protobuf_and_sql(self):
        self.expect("pinka::v1::Job F();", "protobuf")
        self.expect('auto F() { return "SELECT id FROM jobs"; }', "SQL")

    def test_finds_state_that_outlives_a_call(self):
        for body in [
            "int counter = 0;",
            "static int counter;",
            "std::map<int, int> cache;",
            "std::vector<int> list{1, 2};",
            "namespace pinka { namespace { Board* board = nullptr; } }",
            "int F() { static int calls = 0; return ++calls; }",
            "int F() { static std::vector<int> seen{1}; return 0; }",
            "class A { static int count_; };",
            "struct A { inline static std::map<int, int> all = {}; };",
        ]:
            self.expect(body, "outlives a call")

    def test_is_content_with_what_only_looks_like_it(self):
        body = """
// A double-entry book; time(nullptr) and std::mutex stand in a comment.
#include "scheduler/core/hold.h"
#define MACRO(x) static int x
namespace pinka {
namespace {
constexpr int kTable[] = {1, 2};
const std::map<int, const char*> kNames = {{1, "double"}};
inline constexpr std::string_view kText = "float";
using Fn = int (*)(int);
enum class Kind { kA, kB };
template <class T>
struct Box {
  static constexpr int kSize = 3;
  static Box Of(T value) { return Box{value}; }
  Box operator+(const Box& o) const { return {value + o.value}; }
  friend auto operator<=>(const Box&, const Box&) = default;
  bool running_time = true;
  T value{};
};
extern const int kElsewhere;
__extension__ typedef __int128 Wide;
template <class T = void>
struct Empty {};
int Sum(int a, Box<int> b = {}, const std::vector<int>& c = {1, 2});
enum class After : int8_t { kA };
Box<int>::Box(int n) : value{n}, other(n) { value += n; }
std::vector<int> Find(const Box<int>& box, int n = 3);
bool operator<(const Box<int>& a, const Box<int>& b) { return a.value < b.value; }
}  // namespace
int Hold(int run_time) {
  static const auto* names = new std::map<int, int>{{1, 2}};
  static constexpr int kFew = 1'000'000;
  for (int i = 0; i < kFew; ++i) run_time += i;
  auto f = [&](int x) { return x; };
  return f(run_time) + names->at(1) + MaxRunTime(0);
}
}  // namespace pinka
"""
        self.assertEqual(run(CLEAN | {"scheduler/core/hold.cc": body}), (0, ""))

    def test_lets_other_layers_use_them(self):
        self.assertEqual(run(CLEAN | {"agent/a.cc": "double F() { return 1.5; }\nint g = 0;\n"}), (0, ""))

    def test_finds_sql_outside_db_only(self):
        text = 'auto F() { return R"(SELECT id\n FROM jobs)"; }\n'
        self.assertEqual(run(CLEAN | {"db/a.cc": text}), (0, ""))
        self.assertEqual(run(CLEAN | {"scheduler/runtime/a.cc": text})[0], 1)


class Sizes(unittest.TestCase):
    RATCHET = "tests/tidy/ratchet.txt"

    def test_refuses_new_giants(self):
        self.assertEqual(run(CLEAN | {"db/a.cc": function(70)}), (0, ""))
        status, out = run(CLEAN | {"db/a.cc": function(71)})
        self.assertEqual(status, 1)
        self.assertIn("Long is a function of 71 lines, over 70", out)
        self.assertEqual(run(CLEAN | {"db/a.cc": "int x;\n" * 500}), (0, ""))
        self.assertIn("a file of 501 lines", run(CLEAN | {"db/a.cc": "int x;\n" * 501})[1])

    def test_measures_python_too(self):
        self.assertEqual(run(CLEAN | {"tests/e2e/a.py": "def f():\n" + "    x = 1\n" * 70})[0], 1)

    def test_lets_an_old_giant_be_and_not_grow(self):
        tree = CLEAN | {"db/a.cc": function(80), self.RATCHET: "function 80 db/a.cc Long\n"}
        self.assertEqual(run(tree), (0, ""))
        tree["db/a.cc"] = function(81)
        status, out = run(tree)
        self.assertEqual(status, 1)
        self.assertIn("the ratchet stands at 80", out)

    def test_update_only_moves_down(self):
        tree = CLEAN | {
            "db/a.cc": function(75),
            "db/b.cc": function(90),
            "db/c.cc": function(90),
            self.RATCHET: "# why\nfunction 80 db/a.cc Long\nfunction 85 db/b.cc Long\nfile 600 db/gone.cc\n",
        }
        self.assertEqual(run(tree, "--update")[0], 1)
        self.assertEqual(
            tree[self.RATCHET], "# why\nfunction 75 db/a.cc Long\nfunction 85 db/b.cc Long\n"
        )


class Tested(unittest.TestCase):
    def test_finds_a_core_file_that_no_test_names(self):
        status, out = run(CLEAN | {"scheduler/core/orphan.cc": "int F();\n"})
        self.assertEqual(status, 1)
        self.assertIn("scheduler/core/orphan.cc:1: no file in tests/unit/core names it", out)

    def test_takes_the_file_name_an_include_or_a_mention(self):
        for path, text in [
            ("tests/unit/core/orphan_test.cc", ""),
            ("tests/unit/core/many_test.cc", '#include "scheduler/core/orphan.h"\n'),
            ("tests/unit/core/many_test.cc", "// Covers orphan.cc.\n"),
        ]:
            tree = CLEAN | {"scheduler/core/orphan.cc": "int F();\n", path: text}
            self.assertEqual(run(tree), (0, ""))


class Built(unittest.TestCase):
    def test_finds_a_source_that_nothing_builds(self):
        tree = CLEAN | {"db/CMakeLists.txt": "x(SOURCES a.cc)\n", "db/b.cc": "", "db/sub/c.cc": ""}
        status, out = run(tree)
        self.assertEqual(status, 1)
        self.assertIn("db/b.cc:1: no CMakeLists.txt in db names it", out)
        self.assertIn("db/sub/c.cc:1: no CMakeLists.txt in db names it", out)

    def test_takes_a_name_a_loop_or_a_list_of_another_folder(self):
        for text in ["x(SOURCES b_test.cc)\n", "foreach(name b c)\n"]:
            self.assertEqual(run(CLEAN | {"db/CMakeLists.txt": text, "db/b_test.cc": ""}), (0, ""))
        lists = {"db/CMakeLists.txt": "", "db/sub/CMakeLists.txt": "x(SOURCES ../b.cc)\n"}
        self.assertEqual(run(CLEAN | lists | {"db/b.cc": ""}), (0, ""))


class CppText(unittest.TestCase):
    def test_blanks_comments_and_strings_place_for_place(self):
        text = 'a = "x//y"; // b\n/* c\n */ d = \'"\'; e = 1\'000; f = R"q(")" // )q";\n'
        code, strings = cpp_text.split(text)
        self.assertEqual(len(code), len(text))
        self.assertEqual(code.count("\n"), text.count("\n"))
        self.assertNotIn("c", code)
        self.assertIn("1'000", code)
        self.assertEqual(strings, [(1, "x//y"), (3, '")" // ')])

    def test_names_functions(self):
        text = "int A::B(int x) {\n}\nTEST(Foo, Bar) {\n}\nA::A() : x_{1}, y_{2} {\n\n}\nint C() { return 1; }\n"
        found = [(f.name, f.lines) for f in cpp_text.scopes(cpp_text.split(text)[0]).functions]
        self.assertEqual(found, [("A::B", 2), ("Foo.Bar", 2), ("A::A", 3), ("C", 1)])


if __name__ == "__main__":
    unittest.main()
