#include "base/hash.h"

#include <openssl/evp.h>

#include "base/check.h"

namespace pinka {

struct Sha256::Impl {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : impl_(std::make_unique<Impl>()) {
  PINKA_CHECK(impl_->context != nullptr, "out of memory");
  PINKA_CHECK(EVP_DigestInit_ex(impl_->context, EVP_sha256(), nullptr) == 1,
              "OpenSSL offers no SHA-256");
}

Sha256::~Sha256() = default;

void Sha256::Update(std::string_view bytes) {
  PINKA_CHECK(EVP_DigestUpdate(impl_->context, bytes.data(), bytes.size()) == 1,
              "SHA-256 refused bytes");
}

std::string Sha256::FinishHex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  PINKA_CHECK(EVP_DigestFinal_ex(impl_->context, digest, &size) == 1, "SHA-256 did not finish");
  static constexpr char kHex[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(size * 2);
  for (unsigned i = 0; i < size; ++i) {
    hex += kHex[digest[i] >> 4];
    hex += kHex[digest[i] & 15];
  }
  return hex;
}

std::string Sha256Hex(std::string_view bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.FinishHex();
}

}  // namespace pinka
