#include "client/cli/core/options.h"

#include <utility>

namespace pinka::cli {
namespace {

std::function<Status(const std::string&)> StoreInto(std::string* to) {
  return [to](const std::string& value) {
    *to = value;
    return OkStatus();
  };
}

std::function<Status(const std::string&)> AddTo(std::vector<std::string>* to) {
  return [to](const std::string& value) {
    to->push_back(value);
    return OkStatus();
  };
}

Option Positional1(Option::Kind kind, const std::string& name, const std::string& help) {
  Option option;
  option.kind = kind;
  option.names = name;
  option.help = help;
  return option;
}

}  // namespace

void Options::Flag(const std::string& names, const std::string& help, bool* to) {
  CustomFlag(names, help, [to] { *to = true; });
}

void Options::CustomFlag(const std::string& names, const std::string& help,
                         std::function<void()> take) {
  Option option;
  option.names = names;
  option.help = help;
  option.take = [take = std::move(take)](const std::string&) {
    take();
    return OkStatus();
  };
  all_.push_back(std::move(option));
}

void Options::Value(const std::string& names, const std::string& value_name,
                    const std::string& help, std::string* to) {
  Custom(names, value_name, help, StoreInto(to));
}

void Options::ValueOr(const std::string& names, const std::string& value_name,
                      const std::string& help, const std::string& if_bare, std::string* to) {
  Value(names, value_name, help, to);
  all_.back().if_bare = if_bare;
}

void Options::Value(const std::string& names, const std::string& value_name,
                    const std::string& help, std::optional<std::string>* to) {
  Custom(names, value_name, help, [to](const std::string& value) {
    *to = value;
    return OkStatus();
  });
}

void Options::List(const std::string& names, const std::string& value_name, const std::string& help,
                   std::vector<std::string>* to) {
  Custom(names, value_name, help, AddTo(to));
}

void Options::Custom(const std::string& names, const std::string& value_name,
                     const std::string& help, std::function<Status(const std::string&)> take) {
  Option option;
  option.kind = Option::Kind::kValue;
  option.names = names;
  option.value_name = value_name;
  option.help = help;
  option.take = std::move(take);
  all_.push_back(std::move(option));
}

void Options::Positional(const std::string& name, const std::string& help, std::string* to) {
  OptionalPositional(name, help, to);
  all_.back().required = true;
}

void Options::OptionalPositional(const std::string& name, const std::string& help,
                                 std::string* to) {
  all_.push_back(Positional1(Option::Kind::kPositional, name, help));
  all_.back().take = StoreInto(to);
}

void Options::OptionalPositionals(const std::string& name, const std::string& help,
                                  std::vector<std::string>* to) {
  all_.push_back(Positional1(Option::Kind::kPositional, name, help));
  all_.back().many = true;
  all_.back().take = AddTo(to);
}

void Options::Positionals(const std::string& name, const std::string& help,
                          std::vector<std::string>* to) {
  OptionalPositionals(name, help, to);
  all_.back().required = true;
}

void Options::Rest(const std::string& name, const std::string& help, std::vector<std::string>* to) {
  all_.push_back(Positional1(Option::Kind::kRest, name, help));
  all_.back().take = AddTo(to);
}

void Options::MarkGlobal() {
  for (Option& option : all_) option.global = true;
}

std::vector<std::string> SplitCommas(const std::string& text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> OptionNames(const Option& option) { return SplitCommas(option.names); }

}  // namespace pinka::cli
