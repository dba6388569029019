// The lab's certificates as files (docs/joining.md), 0600 each:
//
//   DIR/ca.pem  ca-key.pem          the lab's own authority; boxes and people get ca.pem
//   DIR/server.pem  server-key.pem  this scheduler's certificate, which that authority vouches for
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "scheduler/api/server.h"

namespace pinka {

struct CertOptions {
  std::string data;                // data directory; "": the default
  std::string dir;                 // "": DATA/tls
  std::vector<std::string> names;  // as boxes and people reach this machine
};

// Makes the authority and the server's certificate, and says on `out` what to do next. Refuses
// where an authority lies already: everybody would have to trust a new one.
Status InitCertificates(const CertOptions& options, Timestamp now, std::ostream& out);
// A new certificate from the same authority, for the names given or else for those it had.
Status RenewCertificate(const CertOptions& options, Timestamp now, std::ostream& out);
Status ShowCertificates(const CertOptions& options, Timestamp now, std::ostream& out);

// What a server needs to listen with TLS; `certificate` and `key` are paths. Warns in the log where
// the certificate ends soon.
StatusOr<api::TlsListen> LoadTls(const std::string& listen, const std::string& certificate,
                                 const std::string& key, Timestamp now);

}  // namespace pinka
