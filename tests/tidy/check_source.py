#!/usr/bin/env python3
"""Rules about the source that no compiler knows: see README.md beside this file.

    check_source.py [--root DIR] [--update]

Prints one line a finding, `path:line: what is wrong`, and ends with 1 if there was any.
"""

import argparse
import ast
import os
import re
import sys
import tomllib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cpp_text  # noqa: E402
import tree  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
_SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+INTO|DELETE\s+FROM|UPDATE\s+\w+\s+SET|CREATE\s+(TABLE|INDEX))\b",
    re.DOTALL,
)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def under(name, prefixes):
    """Whether a header is one of `prefixes`, or lies in one that ends with a slash."""
    return any(name.startswith(p) if p.endswith("/") else name == p for p in prefixes)


# ---- layers ----


def layer_of(path, rules):
    best, length = None, 0
    for layer in rules["layer"]:
        for prefix in layer["paths"]:
            if path.startswith(prefix) and len(prefix) > length:
                best, length = layer, len(prefix)
    return best


def why_not(header, layer, rules):
    """Why a file of `layer` may not include `header`; None if it may."""
    never = layer.get("never", []) + (rules["pure"]["never"] if layer.get("pure") else [])
    if under(header, never):
        return f"{layer['name']} may never include <{header}>"
    headers = rules["headers"]
    if under(header, headers["house"]):
        owner = layer_of(header, rules)
        if owner is layer or under(header, layer["may"]):
            return None
        allowed = ", ".join(layer["paths"] + layer["may"])
        return f'{layer["name"]} may not include "{header}", only {allowed}'
    is_library = "/" in header and not under(header, headers["system"])
    if (is_library or header in headers["bare_libraries"]) and not under(header, layer["libraries"]):
        allowed = ", ".join(layer["libraries"])
        return f"{layer['name']} may not include <{header}>, only the libraries {allowed}"
    return None


def check_cpp(path, text, rules):
    """Findings of one C++ file: (line, sentence)."""
    layer = layer_of(path, rules)
    if layer is None:
        return
    for line, header in cpp_text.includes(text):
        if reason := why_not(header, layer, rules):
            yield line, reason
    code, strings = cpp_text.split(text)
    if not layer.get("speaks_sql"):
        for line, content in strings:
            if _SQL.search(content):
                yield line, f"{layer['name']} holds SQL: queries live in db/queries/*.sql"
    if not layer.get("pure"):
        return
    for word in rules["pure"]["word"]:
        for match in re.finditer(word["pattern"], code):
            line = code.count("\n", 0, match.start()) + 1
            yield line, f"{layer['name']} {word['why']} (`{match.group(0).strip()}`)"
    for line, statement in cpp_text.scopes(code).globals:
        yield line, f"{layer['name']} has state that outlives a call: `{statement}`"


# ---- sizes ----


def functions_of(path, text):
    """(name, lines) of every function of a C++ or Python file."""
    if path.endswith((".cc", ".h")):
        found = cpp_text.scopes(cpp_text.split(text)[0]).functions
        return [(f.name, f.lines) for f in found]
    if path.endswith(".py"):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, kinds)]
        return [(n.name, n.end_lineno - n.lineno + 1) for n in nodes]
    return []


def oversized(path, text, rules):
    """{key: lines} of what is over size; a key is ("file", path) or ("function", path, name)."""
    found = {}
    lines = text.count("\n")
    if lines > rules["sizes"]["file_lines"]:
        found[("file", path)] = lines
    for name, length in functions_of(path, text):
        if length > rules["sizes"]["function_lines"]:
            key = ("function", path, name)
            found[key] = max(length, found.get(key, 0))
    return found


def read_ratchet(path):
    allowed = {}
    if not os.path.exists(path):
        return allowed
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                allowed[(words[0], *words[2:])] = int(words[1])
    return allowed


def check_sizes(found, allowed, rules):
    for key, lines in sorted(found.items()):
        limit = rules["sizes"][key[0] + "_lines"]
        what = f"{key[2]} is a function" if key[0] == "function" else "this is a file"
        if key not in allowed:
            yield key[1], f"{what} of {lines} lines, over {limit}: split it"
        elif lines > allowed[key]:
            yield key[1], f"{what} of {lines} lines, and the ratchet stands at {allowed[key]}: shrink it"


def tightened(found, allowed):
    """The ratchet moved down to what is there: nothing added, nothing raised."""
    return {k: min(n, found[k]) for k, n in allowed.items() if k in found}


def write_ratchet(path, allowed):
    with open(path, encoding="utf-8") as file:
        comments = [line for line in file if line.startswith("#")]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(comments)
        for key, lines in sorted(allowed.items()):
            file.write(" ".join([key[0], str(lines), *key[1:]]) + "\n")


# ---- tests ----


def check_tested(root, paths, rules):
    """Every source must be named by a test: a file NAME_test.cc, or NAME.cc or NAME.h in a test."""
    for pair in rules["tested"]:
        tests = [p for p in paths if p.startswith(pair["tests"] + "/")]
        named = "\n".join([os.path.basename(p) for p in tests] + [read(root, p) for p in tests])
        for path in paths:
            if os.path.dirname(path) != pair["sources"] or not path.endswith(".cc"):
                continue
            stem = re.escape(os.path.basename(path)[: -len(".cc")])
            if not re.search(rf"\b{stem}(\.cc|\.h|_test\.cc|_property_test\.cc)\b", named):
                yield path, f"no file in {pair['tests']} names it: write {stem}_test.cc"


# ---- builds ----


def check_built(root, paths):
    """Every .cc is named by a CMakeLists.txt at or below the nearest one above it."""
    lists = {os.path.dirname(p): read(root, p) for p in paths if p.endswith("CMakeLists.txt")}
    for path in paths:
        folder = os.path.dirname(path)
        while folder and folder not in lists:
            folder = os.path.dirname(folder)
        if not path.endswith(".cc") or folder not in lists:
            continue
        near = "\n".join(t for d, t in lists.items() if f"{d}/".startswith(f"{folder}/"))
        stem = os.path.basename(path)[: -len(".cc")]
        names = {stem, stem.removesuffix("_test")}  # ${name}_test.cc of a loop
        if not any(re.search(rf"\b{re.escape(name)}\b", near) for name in names):
            yield path, f"no CMakeLists.txt in {folder or '.'} names it: it is never built"


# ---- the whole ----


def findings(root, rules, allowed, paths):
    """(path, line, sentence) of everything that is wrong, and what is over size."""
    wrong, sizes = [], {}
    for path in paths:
        if not path.endswith(tuple(rules["sizes"]["file_suffixes"])):
            continue
        text = read(root, path)
        sizes |= oversized(path, text, rules)
        if path.endswith((".cc", ".h")):
            wrong += [(path, line, why) for line, why in check_cpp(path, text, rules)]
    wrong += [(path, 1, why) for path, why in check_sizes(sizes, allowed, rules)]
    wrong += [(path, 1, why) for path, why in check_tested(root, paths, rules)]
    wrong += [(path, 1, why) for path, why in check_built(root, paths)]
    return wrong, sizes


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(HERE)))
    parser.add_argument("--update", action="store_true", help="move the ratchet down")
    options = parser.parse_args(argv)
    with open(os.path.join(HERE, "rules.toml"), "rb") as file:
        rules = tomllib.load(file)
    ratchet = os.path.join(options.root, "tests/tidy/ratchet.txt")
    allowed = read_ratchet(ratchet)
    wrong, sizes = findings(options.root, rules, allowed, tree.files(options.root))
    for path, line, why in wrong:
        print(f"{path}:{line}: {why}")
    tight = tightened(sizes, allowed)
    if options.update and tight != allowed:
        write_ratchet(ratchet, tight)
    elif tight != allowed:
        print("the ratchet has slack: check_source.py --update moves it down", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
