#include "scheduler/web/session.h"

#include "gtest/gtest.h"

namespace pinka::web {
namespace {

TEST(Session, TheHeaderWinsOverTheCookie) {
  EXPECT_EQ(AuthorizationOf({.authorization = "Bearer a", .cookie = "pinka_session=b"}),
            "Bearer a");
  EXPECT_EQ(AuthorizationOf({.cookie = "pinka_session=b"}), "Bearer b");
  EXPECT_EQ(AuthorizationOf({.cookie = "other=1; pinka_session=b-_9; z=2"}), "Bearer b-_9");
  EXPECT_EQ(AuthorizationOf({.cookie = "xpinka_session=b"}), "");
  EXPECT_EQ(AuthorizationOf({}), "");
}

TEST(Session, ACookieThatIsNoTokenIsNothing) {
  EXPECT_EQ(AuthorizationOf({.cookie = "pinka_session=a b"}), "");
  EXPECT_EQ(AuthorizationOf({.cookie = "pinka_session=a\r\nx: y"}), "");
  EXPECT_EQ(AuthorizationOf({.cookie = "pinka_session="}), "");
}

TEST(Session, NoScriptReadsTheCookieAndNoOtherSiteSendsIt) {
  const std::string cookie = SessionCookie("abc", true);
  for (const char* part : {"pinka_session=abc;", "HttpOnly", "SameSite=Strict", "Secure", "Path=/"})
    EXPECT_NE(cookie.find(part), std::string::npos) << part;
  EXPECT_EQ(SessionCookie("abc", false).find("Secure"), std::string::npos);
  EXPECT_NE(SessionCookie("", false).find("Max-Age=0"), std::string::npos);
}

TEST(Session, ReadsTheTokenOfALogin) {
  EXPECT_EQ(TokenOfJson(R"({"token": "abc"})"), "abc");
  for (const char* body : {"", "{}", "[]", "\"abc\"", R"({"token": 5})", R"({"token": null})"})
    EXPECT_EQ(TokenOfJson(body), "") << body;
}

TEST(Session, TakesWhatThisPageSendsOnly) {
  const Headers ours{.cookie = "pinka_session=a",
                     .content_type = "application/json",
                     .host = "127.0.0.1:7071",
                     .origin = "http://127.0.0.1:7071",
                     .fetch_site = "same-origin"};
  EXPECT_TRUE(CheckPost(ours).ok());
  Headers h = ours;
  h.content_type = "application/json; charset=utf-8";
  EXPECT_TRUE(CheckPost(h).ok());
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded",
                           "multipart/form-data", "application/jsonp"}) {
    h = ours;
    h.content_type = type;
    EXPECT_FALSE(CheckPost(h).ok()) << type;
  }
  for (const char* site : {"cross-site", "same-site"}) {
    h = ours;
    h.fetch_site = site;
    EXPECT_FALSE(CheckPost(h).ok()) << site;
  }
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:7072"}) {
    h = ours;
    h.origin = origin;
    EXPECT_FALSE(CheckPost(h).ok()) << origin;
  }
}

TEST(Session, AProgramWithItsOwnTokenNeedsNoOrigin) {
  EXPECT_TRUE(CheckPost({.authorization = "Bearer a",
                         .content_type = "application/json",
                         .origin = "http://elsewhere.example"})
                  .ok());
}

}  // namespace
}  // namespace pinka::web
