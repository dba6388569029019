"""The proxy does what the tests that use it believe."""

import socket
import threading
import time
import unittest

from proxy import Proxy


class Echo:
    """Sends back what it gets."""

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    @staticmethod
    def talk(connection):
        while data := connection.recv(65536):
            connection.sendall(data)
        connection.close()


class ProxyTest(unittest.TestCase):
    def setUp(self):
        self.echo = self.enterContext(Echo())
        self.proxy = self.enterContext(Proxy(self.echo.address))
        self.client = self.enterContext(socket.create_connection(("127.0.0.1", self.proxy.port)))
        self.client.settimeout(10)

    def say(self, text):
        self.client.sendall(text)

    def hear(self, size):
        data = b""
        while len(data) < size:
            more = self.client.recv(size - len(data))
            if not more:
                break
            data += more
        return data

    def assert_silent(self):
        self.client.settimeout(0.3)
        with self.assertRaises(TimeoutError):
            self.client.recv(1)
        self.client.settimeout(10)

    def test_passes_all_bytes_both_ways(self):
        text = bytes(range(256)) * 4096
        threading.Thread(target=self.say, args=(text,)).start()
        self.assertEqual(self.hear(len(text)), text)
        self.assertEqual(self.proxy.bytes_up, len(text))

    def test_a_cut_holds_bytes_and_a_heal_lets_them_go(self):
        self.proxy.cut()
        self.say(b"hello")
        self.assert_silent()
        self.assertEqual(self.proxy.bytes_up, 0)
        self.proxy.heal()
        self.assertEqual(self.hear(5), b"hello")

    def test_a_cut_of_answers_lets_requests_through(self):
        self.proxy.cut(up=False)
        self.say(b"hello")
        self.assert_silent()
        self.assertEqual(self.proxy.bytes_up, 5)
        self.assertEqual(self.proxy.bytes_down, 0)
        self.proxy.heal()
        self.assertEqual(self.hear(5), b"hello")

    def test_a_cut_hides_that_the_other_side_has_gone(self):
        self.proxy.cut()
        self.echo.listener.close()
        self.assert_silent()

    def test_delays_and_drips(self):
        self.proxy.delay = 0.1
        began = time.monotonic()
        self.say(b"x")
        self.assertEqual(self.hear(1), b"x")
        self.assertGreaterEqual(time.monotonic() - began, 0.2)
        self.proxy.delay, self.proxy.drip = 0.0, 100
        began = time.monotonic()
        self.say(b"y" * 40)
        self.assertEqual(self.hear(40), b"y" * 40)
        self.assertGreaterEqual(time.monotonic() - began, 0.3)

    def test_an_end_passes(self):
        self.client.shutdown(socket.SHUT_WR)
        self.assertEqual(self.client.recv(1), b"")


if __name__ == "__main__":
    unittest.main()
