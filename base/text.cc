#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/unicode_table.h"

namespace pinka {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";     // U+2026

// One code point, or one byte that is part of none.
struct Decoded {
  char32_t code = 0;
  size_t bytes = 1;
  bool valid = false;
};

unsigned Byte(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

// How many bytes a leading byte announces; 0 if it cannot lead.
size_t LengthFrom(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// `text` is not empty. Overlong forms, surrogates and values over U+10FFFF are invalid.
Decoded Decode(std::string_view text) {
  unsigned lead = Byte(text, 0);
  size_t length = LengthFrom(lead);
  if (length == 1) return {lead, 1, true};
  if (length == 0 || text.size() < length) return {};
  char32_t code = lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((Byte(text, i) & 0xC0) != 0x80) return {};
    code = code << 6 | (Byte(text, i) & 0x3F);
  }
  if (length == 3 && (code < 0x800 || (code >= 0xD800 && code <= 0xDFFF))) return {};
  if (length == 4 && (code < 0x10000 || code > 0x10FFFF)) return {};
  return {code, length, true};
}

template <size_t N>
bool In(const CodeRange (&table)[N], char32_t code) {
  auto it = std::lower_bound(std::begin(table), std::end(table), code,
                             [](const CodeRange& r, char32_t c) { return r.last < c; });
  return it != std::end(table) && it->first <= code;
}

bool IsControl(char32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

// Embeddings, overrides, isolates and marks: they reorder what stands around them.
bool IsBidiControl(char32_t code) {
  return code == 0x61C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

// The emoji form of a symbol; after a letter it would only make two equal names differ.
bool IsEmojiSelector(char32_t code, char32_t before) {
  return code == 0xFE0F && ((before >= 0x2000 && before <= 0x2BFF) || before >= 0x1F000);
}

int Columns(const Decoded& c) {
  if (!c.valid) return 1;
  if (IsControl(c.code) || In(kZeroWidth, c.code)) return 0;
  return In(kWide, c.code) ? 2 : 1;
}

// Calls visit(decoded, its bytes) along the text until it returns false.
template <class Visit>
void ForEach(std::string_view text, Visit visit) {
  while (!text.empty()) {
    Decoded c = Decode(text);
    if (!visit(c, text.substr(0, c.bytes))) return;
    text.remove_prefix(c.bytes);
  }
}

std::string Blanks(std::string_view text, int columns) {
  return std::string(static_cast<size_t>(std::max(0, columns - DisplayWidth(text))), ' ');
}

// ---- shell ----

bool IsSafeInShell(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
}

// Words that mean something else where a command is expected.
bool IsCommandSyntax(std::string_view word) {
  static constexpr std::string_view kReserved[] = {
      "case",     "coproc", "do", "done",      "elif",   "else", "esac", "fi",    "for",
      "function", "if",     "in", "namespace", "select", "then", "time", "until", "while"};
  return word.find('=') != std::string_view::npos ||
         std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved);
}

// Controls, stray bytes and invisible characters do not survive a terminal or a paste.
bool NeedsEscapes(const Decoded& c) { return !c.valid || In(kInvisible, c.code); }

// $'..' with three octal digits for what needs it, so that a digit after it stays its own.
std::string EscapedQuote(std::string_view word) {
  std::string out = "$'";
  ForEach(word, [&](const Decoded& c, std::string_view bytes) {
    if (c.code == '\'' || c.code == '\\') {
      out += '\\';
      out += bytes;
    } else if (!NeedsEscapes(c)) {
      out += bytes;
    } else if (c.code == '\n' || c.code == '\t') {
      out += c.code == '\n' ? "\\n" : "\\t";
    } else {
      for (char b : bytes) out += fmt::format("\\{:03o}", static_cast<unsigned char>(b));
    }
    return true;
  });
  return out + "'";
}

std::string SingleQuote(std::string_view word) {
  std::string out = "'";
  for (char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string QuoteWord(std::string_view word, bool is_command) {
  bool escapes = false;
  ForEach(word, [&](const Decoded& c, std::string_view) { return !(escapes = NeedsEscapes(c)); });
  if (escapes) return EscapedQuote(word);
  bool safe = !word.empty() && std::all_of(word.begin(), word.end(), IsSafeInShell);
  if (safe && !(is_command && IsCommandSyntax(word))) return std::string(word);
  return SingleQuote(word);
}

// ---- nearness ----

std::string LowerAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Insertions, deletions, changes and swaps of neighbours, over bytes.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      size_t change = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({change, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

bool IsValidUtf8(std::string_view text) {
  bool valid = true;
  ForEach(text, [&](const Decoded& c, std::string_view) { return valid = c.valid; });
  return valid;
}

bool IsPrintableName(std::string_view text, int max_chars) {
  bool good = true;
  int chars = 0;
  char32_t before = 0;
  ForEach(text, [&](const Decoded& c, std::string_view) {
    bool hidden = In(kInvisible, c.code) && !IsEmojiSelector(c.code, before);
    before = c.code;
    return good = c.valid && !hidden && ++chars <= max_chars;
  });
  return good;
}

int CountChars(std::string_view text) {
  int chars = 0;
  ForEach(text, [&](const Decoded&, std::string_view) {
    ++chars;
    return true;
  });
  return chars;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  ForEach(text, [&](const Decoded& c, std::string_view) {
    width += Columns(c);
    return true;
  });
  return width;
}

std::string FitColumns(std::string_view text, int columns) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  if (columns <= 0) return "";
  std::string out;
  int room = columns - 1;
  ForEach(text, [&](const Decoded& c, std::string_view bytes) {
    room -= Columns(c);
    if (room >= 0) out += bytes;
    return room >= 0;
  });
  out += kEllipsis;
  return out;
}

std::string PadRight(std::string_view text, int columns) {
  return std::string(text) + Blanks(text, columns);
}

std::string PadLeft(std::string_view text, int columns) {
  return Blanks(text, columns) + std::string(text);
}

std::string SanitizeForTerminal(std::string_view bytes) {
  std::string out;
  ForEach(bytes, [&](const Decoded& c, std::string_view part) {
    bool stays = c.code == '\n' || c.code == '\t' || !(IsControl(c.code) || IsBidiControl(c.code));
    out += c.valid && stays ? part : kReplacement;
    return true;
  });
  return out;
}

std::string ShellQuote(const std::vector<std::string>& argv) {
  std::string line;
  for (size_t i = 0; i < argv.size(); ++i) {
    if (i > 0) line += ' ';
    line += QuoteWord(argv[i], i == 0);
  }
  return line;
}

std::string Nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string lower = LowerAscii(word);
  size_t best = std::max<size_t>(1, word.size() / 3) + 1;  // farther than that is not near
  const std::string* nearest = nullptr;
  for (const std::string& candidate : candidates) {
    size_t longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) >= best) continue;
    size_t distance = EditDistance(lower, LowerAscii(candidate));
    if (distance >= best || distance >= longer) continue;
    best = distance;
    nearest = &candidate;
  }
  return nearest == nullptr ? "" : *nearest;
}

}  // namespace pinka
