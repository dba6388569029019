// Who a browser is, and whether a page of ours sent what it sends. The session is the member's
// token itself, in a cookie that no script can read: revoking the token ends it at once, and the
// scheduler keeps nothing (docs/decisions/2026-11-30-page-session.md). Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace pinka::web {

struct Headers {
  std::string_view authorization = {}, cookie = {}, content_type = {};
  std::string_view host = {}, origin = {}, fetch_site = {};
};

// What authenticates a request: its own Authorization header, else the cookie's token as one. ""
// where there is neither.
std::string AuthorizationOf(const Headers& headers);

// Set-Cookie of a login, and of a logout (empty token). `secure`: served over TLS.
std::string SessionCookie(std::string_view token, bool secure);

// The "token" of a login's body; "" where there is none.
std::string TokenOfJson(std::string_view json);

// A token as it may stand in a cookie and a header: letters, digits, `-`, `_`, `.`, at most 200.
bool IsTokenText(std::string_view token);

// Refuses a body that a form of another site could send: it is JSON, and where the browser says
// from where, that is here. Requests with their own Authorization header need no cookie and pass.
Status CheckPost(const Headers& headers);

}  // namespace pinka::web
