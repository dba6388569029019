// Certificates as text (PEM), and what is in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace pinka {

struct CertificateFacts {
  std::vector<std::string> names;  // hosts and addresses that it speaks for
  Timestamp valid_from;
  Timestamp valid_until;
  std::string sha256;  // of its DER form: what a pin names
  bool self_signed = false;
};

// All of a PEM file, in its order; refuses text without any. `what` names it in the sentence.
StatusOr<std::vector<CertificateFacts>> ReadCertificates(std::string_view pem,
                                                         const std::string& what);
// Refuses a key that is not the first certificate's.
Status CheckKeyFits(const std::string& certificate_pem, const std::string& key_pem);

}  // namespace pinka
