// Text that people see and bytes that programs get: UTF-8, columns of a terminal, shell quoting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pinka {

bool IsValidUtf8(std::string_view text);
// Valid UTF-8 without control characters, escapes, bidi overrides or other invisible format
// characters, and at most `max_chars` code points. Names, comments and reasons must pass.
bool IsPrintableName(std::string_view text, int max_chars);
// Code points, counted; invalid bytes count one each.
int CountChars(std::string_view text);
// Columns a terminal uses: CJK and emoji 2, combining marks 0.
int DisplayWidth(std::string_view text);
// Cut to at most `columns` columns, never inside a character, ending in "…" where cut.
std::string FitColumns(std::string_view text, int columns);
// Padded with blanks to `columns` columns (text that is wider comes back whole).
std::string PadRight(std::string_view text, int columns);
std::string PadLeft(std::string_view text, int columns);
// Invalid bytes and controls as a replacement sign, for terminals; newlines and tabs stay.
std::string SanitizeForTerminal(std::string_view bytes);

// One argv as a line that a shell reads back as the same argv, byte for byte. Plain words stay, the
// rest stands in single quotes; only words with controls, invisible characters or invalid UTF-8
// need $'..' (POSIX 2024: bash, zsh, ksh, busybox; dash does not know it). Words hold no NUL.
std::string ShellQuote(const std::vector<std::string>& argv);

// Edit distance's nearest of `candidates` to `word`, or "" if none is near.
std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace pinka
