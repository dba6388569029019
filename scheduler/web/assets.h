// The built page (client/web), read once into memory. Files under assets/ carry a hash of their
// content in their names and may be kept for ever; the rest is asked for again, by its ETag.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace pinka::web {

struct Asset {
  std::string body;
  std::string type;  // of the content
  std::string etag;  // quoted
  std::string cache_control;
};

class Assets {
 public:
  // Nothing where `directory` holds no index.html: then Find gives the page that says how to get
  // it.
  explicit Assets(const std::string& directory);

  // By path ("/assets/index-abc.js"). Paths of the page's own routes give index.html; null where a
  // file is asked for that is not there.
  const Asset* Find(std::string_view path) const;
  bool built() const { return built_; }

 private:
  std::map<std::string, Asset, std::less<>> files_;
  bool built_ = false;
};

}  // namespace pinka::web
