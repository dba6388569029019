#include "tls/judge.h"

#include <fcntl.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/parse.h"
#include "fmt/format.h"
#include "tls/certificate.h"
#include "tls/handles.h"
#include "tls/peer.h"

namespace pinka {
namespace {

struct Shown {
  std::string chain;         // PEM, the server's own first
  long verdict = X509_V_OK;  // of the authorities, names aside
  bool name_fits = false;
};

Status Untrusted(std::string sentence) {
  return Status(absl::StatusCode::kFailedPrecondition, std::move(sentence));
}

bool WaitConnected(int fd) {
  pollfd wait{fd, POLLOUT, 0};
  if (poll(&wait, 1, static_cast<int>(kJudgePatience.millis())) != 1) return false;
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

StatusOr<Fd> Dial(const HostPort& to) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failed = getaddrinfo(to.host.c_str(), to.port.c_str(), &hints, &found); failed != 0)
    return Unavailable(fmt::format("{} is not found: {}", to.host, gai_strerror(failed)));
  Fd connected;
  for (addrinfo* a = found; a != nullptr && !connected.valid(); a = a->ai_next) {
    Fd fd(socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const bool begun =
        fd.valid() && (connect(fd.get(), a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS);
    if (begun && WaitConnected(fd.get())) connected = std::move(fd);
  }
  freeaddrinfo(found);
  if (!connected.valid())
    return Unavailable(fmt::format("nothing answers at {}:{}", to.host, to.port));
  return connected;
}

tls::Store StoreOf(const std::string& authorities) {
  tls::Store store(X509_STORE_new());
  const tls::Bio bio(BIO_new_mem_buf(authorities.data(), static_cast<int>(authorities.size())));
  while (tls::X509Ptr one{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)})
    X509_STORE_add_cert(store.get(), one.get());
  ERR_clear_error();  // the end of the file
  return store;
}

bool NameFits(X509* certificate, const std::string& host) {
  return X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1 ||
         X509_check_ip_asc(certificate, host.c_str(), 0) == 1;
}

std::string Pem(X509* certificate) {
  const tls::Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(size)};
}

// OpenSSL writes to sockets without MSG_NOSIGNAL: a peer that has gone must not end this program.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec at_once{};
    while (sigtimedwait(&pipe_, nullptr, &at_once) == SIGPIPE) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_, before_;
};

// One handshake that accepts everything and keeps what was shown.
StatusOr<Shown> Look(const std::string& server, const std::string& authorities) {
  StatusOr<HostPort> to = ParseHostPort(server);
  if (!to.ok()) return to.status();
  StatusOr<Fd> fd = Dial(*to);
  if (!fd.ok()) return fd.status();
  const NoBrokenPipe quiet;
  const tls::SslContext context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set1_verify_cert_store(context.get(), StoreOf(authorities).get());
  const std::unique_ptr<SSL, tls::Freed<SSL_free>> ssl(SSL_new(context.get()));
  SSL_set_fd(ssl.get(), fd->get());
  SSL_set_tlsext_host_name(ssl.get(), to->host.c_str());
  constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  SSL_set_alpn_protos(ssl.get(), kHttp2, sizeof kHttp2);
  for (int done = 0; done != 1;) {
    done = SSL_connect(ssl.get());
    const int why = SSL_get_error(ssl.get(), done);
    if (done == 1) break;
    pollfd wait{fd->get(), short(why == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN), 0};
    const bool more = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
    if (more && poll(&wait, 1, static_cast<int>(kJudgePatience.millis())) == 1) continue;
    ERR_clear_error();
    if (more) return Unavailable(fmt::format("{} does not answer", server));
    return absl::UnimplementedError(
        fmt::format("{} speaks no TLS; is this the scheduler's tls_listen address?", server));
  }
  Shown shown;
  shown.verdict = SSL_get_verify_result(ssl.get());
  STACK_OF(X509)* chain = SSL_get_peer_cert_chain(ssl.get());
  for (int i = 0; i < sk_X509_num(chain); ++i) shown.chain += Pem(sk_X509_value(chain, i));
  if (sk_X509_num(chain) > 0) shown.name_fits = NameFits(sk_X509_value(chain, 0), to->host);
  return shown;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nobody" : text;
}

Status JudgeTime(const std::string& server, const CertificateFacts& facts, Timestamp now) {
  if (now < facts.valid_from) {
    return Untrusted(fmt::format(
        "the certificate of {} begins at {} and this machine's clock says {}; set the clock",
        server, FormatUtc(facts.valid_from), FormatUtc(now)));
  }
  if (now >= facts.valid_until) {
    return Untrusted(
        fmt::format("the certificate of {} expired at {} (this machine's clock says "
                    "{}); an admin makes a new one with `pinkad cert renew`",
                    server, FormatUtc(facts.valid_until), FormatUtc(now)));
  }
  return OkStatus();
}

}  // namespace

bool IsAboutTrust(const std::string& rpc_message) {
  return rpc_message.find("andshak") != std::string::npos ||
         rpc_message.find("Peer name") != std::string::npos;
}

Status JudgeServer(const std::string& server, const std::string& authorities, Timestamp now) {
  StatusOr<Shown> shown = Look(server, authorities);
  if (!shown.ok()) return shown.status();
  StatusOr<std::vector<CertificateFacts>> chain = ReadCertificates(shown->chain, server);
  if (!chain.ok()) return chain.status();
  const CertificateFacts& own = chain->front();
  if (Status s = JudgeTime(server, own, now); !s.ok()) return s;
  if (!shown->name_fits) {
    return Untrusted(
        fmt::format("the certificate of {} is for {}; use one of these names, or let an admin add "
                    "this one with `pinkad cert renew --name`",
                    server, Joined(own.names)));
  }
  if (shown->verdict == X509_V_OK) return OkStatus();
  return Untrusted(
      fmt::format("the certificate of {} is not vouched for by the authority named here "
                  "({}); get ca.pem from an admin and name it with --ca FILE",
                  server, X509_verify_cert_error_string(shown->verdict)));
}

StatusOr<std::string> FetchAuthority(const std::string& server, const std::string& pin) {
  StatusOr<Shown> shown = Look(server, "");
  if (!shown.ok()) return shown.status();
  const tls::Bio bio(BIO_new_mem_buf(shown->chain.data(), static_cast<int>(shown->chain.size())));
  while (tls::X509Ptr one{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    std::string pem = Pem(one.get());
    StatusOr<std::vector<CertificateFacts>> facts = ReadCertificates(pem, server);
    if (facts.ok() && facts->front().sha256 == pin) return pem;
  }
  ERR_clear_error();
  return Untrusted(
      fmt::format("{} is not the scheduler that this token is for: it shows another "
                  "authority's certificate; check the address, ask for another token",
                  server));
}

}  // namespace pinka
