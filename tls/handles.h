// OpenSSL's objects as values that free themselves. For tls/ alone.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>

namespace pinka::tls {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Freed<X509_free>>;
using Store = std::unique_ptr<X509_STORE, Freed<X509_STORE_free>>;
using SslContext = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;

}  // namespace pinka::tls
