#include "tls/issue.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <optional>

#include "fmt/format.h"
#include "tls/certificate.h"
#include "tls/handles.h"

namespace pinka {
namespace {

// Machines whose clocks are a little behind can use a new certificate at once.
constexpr Duration kBackdate = Duration::Hours(1);

Status Refused(const char* what) { return Internal(fmt::format("OpenSSL could not {}", what)); }

bool IsAddress(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

bool IsHost(const std::string& name) {
  const auto plain = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.';
  };
  const bool dots = name.find("..") != std::string::npos || name.starts_with('.');
  return !name.empty() && name.size() <= 253 && !dots && std::ranges::all_of(name, plain);
}

StatusOr<std::string> AltNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const bool address = IsAddress(name);
    if (!address && !IsHost(name)) {
      return Invalid(
          fmt::format("'{}' is neither a host's name nor an address; write "
                      "lab.example or 203.0.113.7, without a port",
                      name));
    }
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", address ? "IP" : "DNS", name);
  }
  if (text.empty()) return Invalid("name the server: --name HOST, as boxes and people reach it");
  return text;
}

std::string Text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

std::string Pem(X509* certificate) {
  const tls::Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return Text(bio.get());
}

std::string Pem(EVP_PKEY* key) {
  const tls::Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return Text(bio.get());
}

bool AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  const bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

// A certificate about `key` with everything but extensions and signature.
tls::X509Ptr Draft(EVP_PKEY* key, const std::string& name, Timestamp now, Timestamp until) {
  tls::X509Ptr draft(X509_new());
  X509_set_version(draft.get(), X509_VERSION_3);
  std::array<unsigned char, 16> serial;
  RAND_bytes(serial.data(), serial.size());
  serial[0] &= 0x7f;
  BIGNUM* number = BN_bin2bn(serial.data(), serial.size(), nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(draft.get()));
  BN_free(number);
  ASN1_TIME_set(X509_getm_notBefore(draft.get()), (now - kBackdate).micros() / 1'000'000);
  ASN1_TIME_set(X509_getm_notAfter(draft.get()), until.micros() / 1'000'000);
  X509_set_pubkey(draft.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(draft.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.data()),
                             static_cast<int>(std::min<size_t>(name.size(), 60)), -1, 0);
  return draft;
}

bool Sign(X509* certificate, EVP_PKEY* with) { return X509_sign(certificate, with, EVP_sha256()); }

}  // namespace

StatusOr<Issued> IssueAuthority(const std::string& name, Timestamp now, Duration life) {
  const tls::Key key(EVP_EC_gen("P-256"));
  if (!key) return Refused("make a key");
  const tls::X509Ptr ca = Draft(key.get(), name, now, now + life);
  X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get()));
  const bool made =
      AddExtension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
      AddExtension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign,cRLSign") &&
      AddExtension(ca.get(), ca.get(), NID_subject_key_identifier, "hash") &&
      Sign(ca.get(), key.get());
  if (!made) return Refused("make an authority");
  return Issued{Pem(ca.get()), Pem(key.get())};
}

StatusOr<Issued> IssueServer(const Issued& authority, const std::vector<std::string>& names,
                             Timestamp now, Duration life) {
  if (Status s = CheckKeyFits(authority.certificate, authority.key); !s.ok()) return s;
  StatusOr<std::string> alt_names = AltNames(names);
  if (!alt_names.ok()) return alt_names.status();
  const tls::Bio ca_bio(BIO_new_mem_buf(authority.certificate.data(), -1));
  const tls::Bio key_bio(BIO_new_mem_buf(authority.key.data(), -1));
  const tls::X509Ptr ca(PEM_read_bio_X509(ca_bio.get(), nullptr, nullptr, nullptr));
  const tls::Key ca_key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
  const Timestamp ca_until = ReadCertificates(authority.certificate, "ca")->front().valid_until;
  if (ca_until <= now)
    return Invalid("the authority itself has expired; make a new one and give it to everybody");
  const tls::Key key(EVP_EC_gen("P-256"));
  if (!key) return Refused("make a key");
  const tls::X509Ptr server = Draft(key.get(), names.front(), now, std::min(now + life, ca_until));
  X509_set_issuer_name(server.get(), X509_get_subject_name(ca.get()));
  X509* s = server.get();
  const bool made = AddExtension(s, ca.get(), NID_basic_constraints, "critical,CA:FALSE") &&
                    AddExtension(s, ca.get(), NID_key_usage, "critical,digitalSignature") &&
                    AddExtension(s, ca.get(), NID_ext_key_usage, "serverAuth") &&
                    AddExtension(s, ca.get(), NID_subject_alt_name, *alt_names) &&
                    AddExtension(s, ca.get(), NID_authority_key_identifier, "keyid") &&
                    Sign(s, ca_key.get());
  if (!made) return Refused("make the server's certificate");
  return Issued{Pem(s) + authority.certificate, Pem(key.get())};
}

}  // namespace pinka
