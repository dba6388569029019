// judge.cc against a real handshake: each way in which a server is not to be trusted is one
// sentence.
#include "tls/judge.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/file.h"
#include "fmt/format.h"
#include "tls/certificate.h"
#include "tls/handles.h"
#include "tls/issue.h"

namespace pinka {
namespace {

using testing::HasSubstr;

const Timestamp kNow = Timestamp::Seconds(1'796'000'000);

// Accepts on a port of 127.0.0.1 and shows a certificate to everybody; with none, says "hello".
class TlsServer {
 public:
  explicit TlsServer(const Issued& shown) : context_(SSL_CTX_new(TLS_server_method())) {
    signal(SIGPIPE, SIG_IGN);  // a client that has seen enough goes
    Use(shown);
    listener_ = Fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size);
    listen(listener_.get(), 8);
    getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~TlsServer() {
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string At(const std::string& host) const { return fmt::format("{}:{}", host, port_); }

 private:
  void Use(const Issued& shown) {
    plain_ = shown.certificate.empty();
    if (plain_) return;
    const tls::Bio chain(BIO_new_mem_buf(shown.certificate.data(), -1));
    const tls::X509Ptr own(PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_certificate(context_.get(), own.get());
    while (X509* next = PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr))
      SSL_CTX_add_extra_chain_cert(context_.get(), next);
    const tls::Bio bio(BIO_new_mem_buf(shown.key.data(), -1));
    const tls::Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_PrivateKey(context_.get(), key.get());
  }
  void Serve() {
    for (;;) {
      const Fd fd(accept(listener_.get(), nullptr, nullptr));
      if (!fd.valid()) return;
      if (plain_) {
        [[maybe_unused]] const ssize_t n = write(fd.get(), "hello there\r\n", 13);
        continue;
      }
      const std::unique_ptr<SSL, tls::Freed<SSL_free>> ssl(SSL_new(context_.get()));
      SSL_set_fd(ssl.get(), fd.get());
      char byte = 0;
      if (SSL_accept(ssl.get()) == 1) SSL_read(ssl.get(), &byte, 1);
    }
  }

  tls::SslContext context_;
  bool plain_ = false;
  Fd listener_;
  int port_ = 0;
  std::thread thread_;
};

struct World {
  World() : ca(*IssueAuthority("lab", kNow)) {}
  Issued Server(Timestamp at = kNow, Duration life = kServerLife) const {
    return *IssueServer(ca, {"localhost", "127.0.0.1"}, at, life);
  }
  Issued ca;
};

TEST(Judging, FindsNothingToSayOfAServerThatIsAsItShouldBe) {
  const World world;
  const TlsServer server(world.Server());
  EXPECT_EQ(JudgeServer(server.At("127.0.0.1"), world.ca.certificate, kNow), OkStatus());
  EXPECT_EQ(JudgeServer(server.At("localhost"), world.ca.certificate, kNow), OkStatus());
}

TEST(Judging, TellsAnExpiredCertificateFromAClockThatIsBehind) {
  const World world;
  const TlsServer server(world.Server(kNow, Duration::Days(1)));
  const std::string at = server.At("127.0.0.1");
  EXPECT_THAT(Message(JudgeServer(at, world.ca.certificate, kNow + Duration::Days(2))),
              HasSubstr("expired at 2026-12-01"));
  EXPECT_THAT(Message(JudgeServer(at, world.ca.certificate, kNow - Duration::Days(2))),
              HasSubstr("set the clock"));
}

TEST(Judging, NamesTheNamesOfACertificateForSomebodyElse) {
  const World world;
  const TlsServer server(*IssueServer(world.ca, {"lab.example", "203.0.113.7"}, kNow));
  EXPECT_THAT(Message(JudgeServer(server.At("127.0.0.1"), world.ca.certificate, kNow)),
              HasSubstr("is for lab.example, 203.0.113.7"));
}

TEST(Judging, TellsAnotherAuthority) {
  const World world;
  const World other;
  const TlsServer server(world.Server());
  EXPECT_THAT(Message(JudgeServer(server.At("127.0.0.1"), other.ca.certificate, kNow)),
              HasSubstr("not vouched for"));
}

TEST(Judging, TellsAServerWithoutTlsAndOneThatIsNotThere) {
  const World world;
  std::string gone;
  {
    const TlsServer plain({});
    gone = plain.At("127.0.0.1");
    EXPECT_THAT(Message(JudgeServer(gone, world.ca.certificate, kNow)), HasSubstr("no TLS"));
  }
  const Status nothing = JudgeServer(gone, world.ca.certificate, kNow);
  EXPECT_TRUE(absl::IsUnavailable(nothing)) << nothing;
}

TEST(Pins, FindTheAuthorityOrRefuseTheServer) {
  const World world;
  const World other;
  const TlsServer server(world.Server());
  const auto pin = [](const World& w) {
    return ReadCertificates(w.ca.certificate, "ca")->front().sha256;
  };
  EXPECT_EQ(*FetchAuthority(server.At("127.0.0.1"), pin(world)), world.ca.certificate);
  EXPECT_THAT(Message(FetchAuthority(server.At("127.0.0.1"), pin(other)).status()),
              HasSubstr("not the scheduler that this token is for"));
}

}  // namespace
}  // namespace pinka
