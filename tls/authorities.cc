#include "tls/authorities.h"

#include "base/file.h"

namespace pinka {

StatusOr<std::string> SystemAuthorities() {
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (PathExists(path)) return ReadFile(path);
  }
  return NotFound("this machine trusts no authorities of its own; name the lab's with --ca FILE");
}

}  // namespace pinka
