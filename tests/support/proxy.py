"""A TCP proxy that breaks a connection on purpose: cuts it (both ways, or one), delays it, lets it drip.

    with Proxy(("127.0.0.1", 7443)) as proxy:
        proxy.port                  # what the other side is told instead
        proxy.cut()                 # bytes stop, connections stay open: a partition
        proxy.cut(up=False)         # answers only
        proxy.heal()
        proxy.delay = 0.2           # seconds, each way
        proxy.drip = 100            # bytes a second, each way

As program, for people: proxy.py HOST:PORT prints its port and takes the same words on standard input.
"""

import collections
import selectors
import socket
import sys
import threading
import time

CHUNK = 65536
TURN = 0.02  # seconds between looks while bytes are held back


class Pipe:
    """One direction of one connection."""

    def __init__(self, source, sink):
        self.source, self.sink = source, sink
        self.held = collections.deque()  # (when it may go, bytes)
        self.ended = False
        self.next_byte_at = 0.0


class Proxy:
    def __init__(self, target):
        self.target = target
        self.delay = 0.0
        self.drip = 0  # 0: as fast as it comes
        self.bytes_up = self.bytes_down = 0
        self._open_up = self._open_down = True
        self._pipes = {}  # by the socket that is read
        self._stopping = False
        self._selector = selectors.DefaultSelector()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self._wake, self._woken = socket.socketpair()
        for s in (self._listener, self._woken):
            s.setblocking(False)
            self._selector.register(s, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def cut(self, up=True, down=True):
        """Bytes stop in these directions; what is sent is kept and goes when it is healed. New
        connections are taken and stay silent, as in a network that drops packets."""
        self._open_up, self._open_down = not up, not down
        self._poke()

    def heal(self):
        """What was held goes now, late, as what a network retransmits."""
        self._open_up = self._open_down = True
        self._poke()

    def close(self):
        self._stopping = True
        self._poke()
        self._thread.join()

    # --- the loop: one thread owns all sockets -------------------------------------------------

    def _poke(self):
        self._wake.send(b".")

    def _run(self):
        while not self._stopping:
            waits = any(p.held for p in self._pipes.values())
            for key, _ in self._selector.select(TURN if waits else None):
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj is self._woken:
                    self._woken.recv(CHUNK)
                elif key.fileobj in self._pipes:
                    self._take(self._pipes[key.fileobj])
            for pipe in list(self._pipes.values()):
                self._pass_on(pipe)
        for s in [self._listener, self._wake, self._woken, *self._pipes]:
            s.close()
        self._selector.close()

    def _accept(self):
        client, _ = self._listener.accept()
        try:
            server = socket.create_connection(self.target, timeout=5)
        except OSError:
            client.close()
            return
        for source, sink in ((client, server), (server, client)):
            source.setblocking(False)
            pipe = Pipe(source, sink)
            pipe.up = source is client
            self._pipes[source] = pipe
            self._selector.register(source, selectors.EVENT_READ)

    def _take(self, pipe):
        try:
            data = pipe.source.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            pipe.held.append((time.monotonic() + self.delay, data))
            return
        pipe.ended = True
        self._selector.unregister(pipe.source)

    def _pass_on(self, pipe):
        now = time.monotonic()
        while pipe.held and (self._open_up if pipe.up else self._open_down):
            due, data = pipe.held[0]
            if due > now or (self.drip and pipe.next_byte_at > now):
                return
            size = max(int(self.drip * TURN), 1) if self.drip else len(data)
            try:
                sent = pipe.sink.send(data[:size])
            except BlockingIOError:
                return
            except OSError:
                return self._drop(pipe)
            if pipe.up:
                self.bytes_up += sent
            else:
                self.bytes_down += sent
            pipe.held.popleft()
            if sent < len(data):
                pipe.held.appendleft((due, data[sent:]))
            if self.drip:
                pipe.next_byte_at = now + sent / self.drip
        # An end is news of the other side as well: it does not pass through a cut.
        if pipe.ended and not pipe.held and (self._open_up if pipe.up else self._open_down):
            self._drop(pipe)

    def _drop(self, pipe):
        for s in (pipe.source, pipe.sink):
            if self._pipes.pop(s, None) is None:
                continue
            if s in self._selector.get_map():
                self._selector.unregister(s)
            s.close()


def main():
    host, port = sys.argv[1].rsplit(":", 1)
    with Proxy((host, int(port))) as proxy:
        print(proxy.port, flush=True)
        for line in sys.stdin:
            word, *rest = line.split() or [""]
            if word == "cut":
                proxy.cut(up=rest != ["down"], down=rest != ["up"])
            elif word == "heal":
                proxy.heal()
            elif word in ("delay", "drip"):
                setattr(proxy, word, float(rest[0]))


if __name__ == "__main__":
    main()
