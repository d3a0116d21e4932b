"""A model on loopback that says what it is told to: one scripted turn per request, every request kept.

A turn is {"text": "…"} or {"tools": [{"name": …, "input": {…}}]}. How a turn looks on the wire is the client's
dialect: `reply(handler, path, body, turn)` writes one HTTP answer. A request that is no turn (a model list, a
telemetry ping) is answered by the dialect with no turn taken: `is_turn(path, body)` says which are.
"""
import http.server
import json
import threading


class Model:
    """The server; `requests` holds the bodies of all turns asked for, in order."""

    def __init__(self, dialect, turns):
        self.dialect, self.turns = dialect, list(turns)
        self.requests, self.others, self.lock = [], [], threading.Lock()
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                model.answer(self, None)

            def do_POST(self):
                length = int(self.headers.get("content-length") or 0)
                model.answer(self, self.rfile.read(length))

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler, raw):
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            body = {}
        path = handler.path
        if not self.dialect.is_turn(path, body):
            with self.lock:
                self.others.append((path, body))
            return self.dialect.reply(handler, path, body, None)
        with self.lock:
            at = len(self.requests)
            self.requests.append(body)
        turn = self.turns[at] if at < len(self.turns) else {"text": "Nothing more is scripted."}
        return self.dialect.reply(handler, path, body, dict(turn, at=at))

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def send(handler, status, kind, payload):
    handler.send_response(status)
    handler.send_header("content-type", kind)
    handler.send_header("content-length", str(len(payload)))
    handler.end_headers()
    handler.wfile.write(payload)


def send_json(handler, value, status=200):
    send(handler, status, "application/json", json.dumps(value).encode())


def send_events(handler, events):
    """Server-sent events: (name or None, value) each."""
    lines = []
    for name, value in events:
        lines.append(("event: %s\n" % name if name else "") + "data: %s\n\n" % json.dumps(value))
    send(handler, 200, "text/event-stream", "".join(lines).encode())
