#include "scheduler/web/assets.h"

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

namespace pinka::web {
namespace {

class BuiltPage : public testing::Test {
 protected:
  BuiltPage() {
    std::string pattern = testing::TempDir() + "pinka_page_XXXXXX";
    root_ = mkdtemp(pattern.data());
    Write("index.html", "<html></html>");
    Write("assets/index-abc.js", "1;");
    Write("icon.svg", "<svg/>");
  }
  ~BuiltPage() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(root_) / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root_;
};

TEST_F(BuiltPage, HoldsItsFilesWithTheirTypes) {
  const Assets assets(root_);
  EXPECT_TRUE(assets.built());
  EXPECT_EQ(assets.Find("/assets/index-abc.js")->type, "text/javascript; charset=utf-8");
  EXPECT_EQ(assets.Find("/icon.svg")->type, "image/svg+xml");
  EXPECT_EQ(assets.Find("/index.html")->body, "<html></html>");
}

TEST_F(BuiltPage, KeepsForEverOnlyWhatIsNamedByItsContent) {
  const Assets assets(root_);
  EXPECT_NE(assets.Find("/assets/index-abc.js")->cache_control.find("immutable"),
            std::string::npos);
  EXPECT_EQ(assets.Find("/")->cache_control, "no-cache");
}

TEST_F(BuiltPage, TagsFollowTheContent) {
  const std::string before = Assets(root_).Find("/")->etag;
  EXPECT_EQ(Assets(root_).Find("/")->etag, before);
  Write("index.html", "<html>new</html>");
  EXPECT_NE(Assets(root_).Find("/")->etag, before);
}

TEST_F(BuiltPage, RoutesOfThePageAreItsIndexAndMissingFilesAreMissing) {
  const Assets assets(root_);
  for (const char* route : {"/", "/jobs", "/jobs/17", "/spending"}) {
    ASSERT_NE(assets.Find(route), nullptr) << route;
    EXPECT_EQ(assets.Find(route)->body, "<html></html>") << route;
  }
  for (const char* file : {"/assets/old.js", "/assets/x", "/robots.txt", "/../secret.key"})
    EXPECT_EQ(assets.Find(file), nullptr) << file;
}

TEST(Assets, WithoutABuiltPageItSaysHowToGetIt) {
  const Assets assets("/nowhere");
  EXPECT_FALSE(assets.built());
  EXPECT_NE(assets.Find("/")->body.find("--target page"), std::string::npos);
}

}  // namespace
}  // namespace pinka::web
