#include "tls/certificate.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <ctime>

#include "base/hash.h"
#include "fmt/format.h"
#include "tls/handles.h"

namespace pinka {
namespace {

Timestamp TimeOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return Timestamp::Micros(int64_t{timegm(&parts)} * 1'000'000);
}

std::string AddressText(const ASN1_OCTET_STRING* address) {
  const unsigned char* b = ASN1_STRING_get0_data(address);
  const int size = ASN1_STRING_length(address);
  if (size == 4) return fmt::format("{}.{}.{}.{}", b[0], b[1], b[2], b[3]);
  std::string text;
  for (int i = 0; i + 1 < size; i += 2)
    text += fmt::format("{}{:x}", i == 0 ? "" : ":", b[i] << 8 | b[i + 1]);
  return text == "0:0:0:0:0:0:0:1" ? "::1" : text;
}

std::vector<std::string> NamesOf(const X509* certificate) {
  std::vector<std::string> names;
  auto* all = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(all); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(all, i);
    if (name->type == GEN_DNS) {
      const ASN1_IA5STRING* text = name->d.dNSName;
      names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                         static_cast<size_t>(ASN1_STRING_length(text)));
    } else if (name->type == GEN_IPADD) {
      names.push_back(AddressText(name->d.iPAddress));
    }
  }
  GENERAL_NAMES_free(all);
  return names;
}

std::string DigestOf(const X509* certificate) {
  unsigned char* der = nullptr;
  const int size = i2d_X509(certificate, &der);
  if (size <= 0) return "";
  std::string hash = Sha256Hex({reinterpret_cast<char*>(der), static_cast<size_t>(size)});
  OPENSSL_free(der);
  return hash;
}

tls::Bio BioOf(std::string_view text) {
  return tls::Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

}  // namespace

StatusOr<std::vector<CertificateFacts>> ReadCertificates(std::string_view pem,
                                                         const std::string& what) {
  std::vector<CertificateFacts> all;
  tls::Bio bio = BioOf(pem);
  while (tls::X509Ptr one{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    all.push_back({.names = NamesOf(one.get()),
                   .valid_from = TimeOf(X509_get0_notBefore(one.get())),
                   .valid_until = TimeOf(X509_get0_notAfter(one.get())),
                   .sha256 = DigestOf(one.get()),
                   .self_signed = X509_check_issued(one.get(), one.get()) == X509_V_OK});
  }
  if (all.empty()) return Invalid(fmt::format("{} holds no certificate (PEM)", what));
  return all;
}

Status CheckKeyFits(const std::string& certificate_pem, const std::string& key_pem) {
  tls::Bio certificate_bio = BioOf(certificate_pem);
  tls::Bio key_bio = BioOf(key_pem);
  const tls::X509Ptr certificate(
      PEM_read_bio_X509(certificate_bio.get(), nullptr, nullptr, nullptr));
  const tls::Key key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
  if (!certificate) return Invalid("the certificate's file holds no certificate (PEM)");
  if (!key) return Invalid("the key's file holds no private key (PEM, without a passphrase)");
  if (X509_check_private_key(certificate.get(), key.get()) == 1) return OkStatus();
  return Invalid("the key is not that of the certificate; was one of them replaced alone?");
}

}  // namespace pinka
