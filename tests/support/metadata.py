"""A cloud's metadata service, as far as it tells of a spot machine's end: aws, gcp, azure, aliyun, tencent.

    metadata.py SERVICE --notice-file F

prints `port N` and serves until it is killed. Without a file F there is no
notice. F holds the seconds left, counted from when this content was first seen; or a word: `garbage`
(an answer that makes no sense), `broken` (status 500), `slow` (none within any patience), `other` (azure:
a notice for another machine), `late` (one whose time has passed). A file that changes under the server is
put there by a rename.
"""

import argparse
import datetime
import http.server
import json
import os
import sys
import threading
import time

TOKEN = "QUFBQUE=="
MACHINE = "this-vm_0"
TOKENS = {"aws": "X-aws-ec2-metadata-token", "aliyun": "X-aliyun-ecs-metadata-token"}
BEIJING = datetime.timezone(datetime.timedelta(hours=8))


class Notice:
    """What the file says."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.seen = None  # content and what it is known by
        self.deadline = None

    def read(self):
        """("", None), a word and None, or ("notice", when)."""
        with self.lock:
            try:
                with open(self.path) as file:
                    content, now = file.read().strip(), os.fstat(file.fileno())
            except FileNotFoundError:
                return "", None
            seen = (content, now.st_ino, now.st_mtime_ns)
            if seen != self.seen:
                self.seen, self.deadline = seen, None
                left = -60.0 if content == "late" else float(content) if content[:1].isdigit() else None
                if left is not None:
                    moment = datetime.datetime.now(datetime.timezone.utc)
                    self.deadline = moment + datetime.timedelta(seconds=left)
            return ("notice", self.deadline) if self.deadline else (content, None)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service, notice = "", None

    def log_message(self, *_):
        pass

    def answer(self, status, body=""):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_PUT(self):
        header = TOKENS.get(self.service)
        if self.path != "/latest/api/token" or not header:
            return self.answer(404)
        ttl = self.headers.get(header + "-ttl-seconds", "")
        return self.answer(200, TOKEN) if ttl.isdigit() else self.answer(400)

    def do_GET(self):
        header = TOKENS.get(self.service)
        token = self.headers.get(header) if header else None
        if (token is None and self.service == "aws") or token not in (None, TOKEN):
            return self.answer(401)
        word, deadline = self.notice.read()
        if word == "slow":
            time.sleep(3600)
        if word in ("garbage", "broken"):
            return self.answer(*{"garbage": (200, "<html>\n您好 \x1b[31m"), "broken": (500, "oops")}[word])
        return getattr(self, self.service)(word, deadline)

    def aws(self, word, deadline):
        if self.path != "/latest/meta-data/spot/instance-action" or not deadline:
            return self.answer(404, "<?xml version='1.0'?><html>404 - Not Found</html>")
        said = {"action": "terminate", "time": deadline.strftime("%Y-%m-%dT%H:%M:%SZ")}
        return self.answer(200, json.dumps(said))

    def gcp(self, word, deadline):
        if self.headers.get("Metadata-Flavor") != "Google":
            return self.answer(403)
        if self.path != "/computeMetadata/v1/instance/preempted":
            return self.answer(404)
        return self.answer(200, "TRUE" if deadline else "FALSE")

    def azure(self, word, deadline):
        if self.headers.get("Metadata") != "true":
            return self.answer(400, json.dumps({"error": "Bad request: Required metadata header not specified"}))
        if self.path == "/metadata/instance/compute/name?api-version=2021-02-01&format=text":
            return self.answer(200, MACHINE)
        if self.path != "/metadata/scheduledevents?api-version=2020-07-01":
            return self.answer(404)
        events = []
        if deadline or word == "other":
            events.append({
                "EventId": "602d9444-d2cd-49c7-8624-8643e7171297",
                "EventType": "Preempt",
                "ResourceType": "VirtualMachine",
                "Resources": ["another-vm_1" if word == "other" else MACHINE],
                "EventStatus": "Scheduled",
                "NotBefore": deadline.strftime("%a, %d %b %Y %H:%M:%S GMT") if deadline else "",
                "Description": "", "EventSource": "Platform", "DurationInSeconds": -1})
        return self.answer(200, json.dumps({"DocumentIncarnation": len(events), "Events": events}))

    def aliyun(self, word, deadline):
        if self.path != "/latest/meta-data/instance/spot/termination-time" or not deadline:
            return self.answer(404)
        return self.answer(200, deadline.strftime("%Y-%m-%dT%H:%M:%SZ"))

    def tencent(self, word, deadline):
        if self.path != "/latest/meta-data/spot/termination-time" or not deadline:
            return self.answer(404)
        return self.answer(200, deadline.astimezone(BEIJING).strftime("%Y-%m-%d %H:%M:%S"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("service", choices=["aws", "gcp", "azure", "aliyun", "tencent"])
    parser.add_argument("--notice-file", required=True)
    options = parser.parse_args()
    Handler.service, Handler.notice = options.service, Notice(options.notice_file)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print("port", server.server_address[1], flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
