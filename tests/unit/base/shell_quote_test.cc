#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/wait.h>

#include <cstdio>

#include "base/text.h"

namespace pinka {
namespace {

using Argv = std::vector<std::string>;

TEST(ShellQuote, LeavesPlainWordsAndQuotesTheRest) {
  struct Case {
    Argv argv;
    const char* line;
  };
  for (const Case& c : {
           Case{{"python", "train.py", "--lr=0.1", "a/b:c@d%e,f+g_h-1"},
                "python train.py --lr=0.1 a/b:c@d%e,f+g_h-1"},
           Case{{"echo", ""}, "echo ''"},
           Case{{"echo", "a b", "$HOME", "~", "*", "a;b", "#x"},
                "echo 'a b' '$HOME' '~' '*' 'a;b' '#x'"},
           Case{{"echo", "it's"}, R"(echo 'it'\''s')"},
           Case{{"echo", "'"}, R"(echo ''\''')"},
           Case{{"echo", "back\\slash"}, R"(echo 'back\slash')"},
           Case{{"echo", "训练"}, "echo '训练'"},
           Case{{"A=1", "A=1"}, "'A=1' A=1"},
           Case{{"if", "if"}, "'if' if"},
           Case{{"echo", "a\nb\t'\\\x1b[0m1"}, R"(echo $'a\nb\t\'\\\033[0m1')"},
           Case{{"echo", "\xff\xfe"}, R"(echo $'\377\376')"},
           Case{{"echo", "\u202e"}, R"(echo $'\342\200\256')"},
           Case{{}, ""},
       }) {
    EXPECT_EQ(ShellQuote(c.argv), c.line);
  }
}

// What bash makes of `printf '%s\0' WORDS`. The shell of popen only has to know single quotes: the
// words are printable by then.
Argv ReadBack(const Argv& words) {
  Argv command{"bash", "-c", "printf '%s\\0' " + ShellQuote(words)};
  FILE* pipe = popen(ShellQuote(command).c_str(), "r");
  std::string out;
  char buffer[4'096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0);
  Argv read;
  for (size_t at = 0; at < out.size();) {
    size_t end = out.find('\0', at);
    read.push_back(out.substr(at, end - at));
    at = end + 1;
  }
  return read;
}

TEST(ShellQuote, IsReadBackByAShellByteForByte) {
  std::string every_byte;
  for (int b = 1; b < 256; ++b) every_byte += static_cast<char>(b);
  std::string printable;
  for (char b = ' '; b <= '~'; ++b) printable += b;
  Argv words{"",      printable, "'",   "''", "\\",  "\\'",       "a b", "-n", "!!",
             "$(ls)", "`ls`",    "{a}", "~",  "a=b", "名字 空格", "😀",   "%s"};
  words.push_back(every_byte);
  for (char b : every_byte) words.push_back(std::string("1") + b + "1");
  EXPECT_EQ(ReadBack(words), words);
}

RC_GTEST_PROP(ShellQuoteProperty, NeverPutsAControlByteOnTheLine, (const Argv& argv)) {
  for (char b : ShellQuote(argv)) RC_ASSERT(static_cast<unsigned char>(b) >= 0x20 && b != 0x7f);
}

}  // namespace
}  // namespace pinka
