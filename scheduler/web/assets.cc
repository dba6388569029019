#include "scheduler/web/assets.h"

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "fmt/format.h"

namespace pinka::web {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndex = "/index.html";
constexpr std::string_view kHowToGetIt =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>pinka</title>"
    "<h1>pinka is running, its page is not built</h1>"
    "<p>Where Node 18 or newer is installed, <code>cmake --build build --target page</code> builds "
    "it; "
    "then start pinkad again. Everything else works without: see <code>pinka "
    "--help</code>.</p></html>";

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".json", "application/json"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
    {".webmanifest", "application/manifest+json"},
};

std::string_view TypeOf(std::string_view path) {
  for (const auto& [suffix, type] : kTypes)
    if (path.ends_with(suffix)) return type;
  return "application/octet-stream";
}

Asset Make(std::string path, std::string body) {
  Asset asset;
  asset.type = TypeOf(path);
  asset.etag = fmt::format("\"{}\"", Sha256Hex(body).substr(0, 32));
  asset.cache_control =
      path.starts_with("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  asset.body = std::move(body);
  return asset;
}

}  // namespace

Assets::Assets(const std::string& directory) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    if (!at->is_regular_file(error)) continue;
    const std::string path = "/" + fs::relative(at->path(), directory, error).generic_string();
    if (auto body = ReadFile(at->path().string()); body.ok())
      files_.emplace(path, Make(path, *std::move(body)));
  }
  built_ = files_.contains(kIndex);
  if (!built_)
    files_.insert_or_assign(std::string(kIndex), Make("/index.html", std::string(kHowToGetIt)));
}

const Asset* Assets::Find(std::string_view path) const {
  if (const auto found = files_.find(path); found != files_.end()) return &found->second;
  const bool names_a_file = path.substr(path.rfind('/') + 1).find('.') != std::string_view::npos;
  if (path.starts_with("/assets/") || names_a_file) return nullptr;
  return &files_.find(kIndex)->second;
}

}  // namespace pinka::web
