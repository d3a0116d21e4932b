"""Just enough of the language server protocol to ask where something is defined and who refers to it."""
import json
import os
import queue
import subprocess
import threading
import urllib.parse


def uri(path):
    return "file://" + urllib.parse.quote(os.path.abspath(path))


def path_of(uri_text):
    return urllib.parse.unquote(uri_text[len("file://"):])


class Server:
    def __init__(self, command, root, settings=None, options=None, env=None):
        self.settings, self.next, self.answers, self.opened = settings or {}, 0, {}, set()
        self.progress = queue.Queue()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, cwd=root, env=env)
        threading.Thread(target=self.listen, daemon=True).start()
        self.ask("initialize", {
            "processId": os.getpid(), "rootUri": uri(root), "initializationOptions": options or {},
            "workspaceFolders": [{"uri": uri(root), "name": "it"}],
            "capabilities": {"workspace": {"configuration": True, "workspaceFolders": True},
                             "window": {"workDoneProgress": True},
                             "experimental": {"serverStatusNotification": True},
                             "textDocument": {"definition": {"linkSupport": False}}}})
        self.tell("initialized", {})
        self.tell("workspace/didChangeConfiguration", {"settings": self.settings})

    def send(self, message):
        body = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def listen(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    return
                if not line.strip():
                    break
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(out.read(length))
            if "method" in message and "id" in message:
                answer = None
                if message["method"] == "workspace/configuration":
                    answer = [self.section(item.get("section")) for item in message["params"]["items"]]
                self.send({"id": message["id"], "result": answer})
            elif "method" in message:
                self.progress.put(message)
            else:
                self.answers[message["id"]].put(message)

    def section(self, name):
        at = self.settings
        for part in (name or "").split("."):
            at = at.get(part, {}) if part else at
        return at

    def ask(self, method, params, timeout=300):
        self.next += 1
        box = self.answers[self.next] = queue.Queue()
        self.send({"id": self.next, "method": method, "params": params})
        answer = box.get(timeout=timeout)
        if "error" in answer:
            raise RuntimeError("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def open(self, path, language):
        if path not in self.opened:
            self.opened.add(path)
            with open(path, encoding="utf-8") as file:
                self.tell("textDocument/didOpen", {"textDocument": {
                    "uri": uri(path), "languageId": language, "version": 1, "text": file.read()}})

    def places(self, method, path, line, column, **more):
        """[(path, line, column)], lines from 1, columns from 0 in UTF-16 units."""
        params = dict({"textDocument": {"uri": uri(path)}, "position": {"line": line - 1, "character": column}}, **more)
        found = self.ask(method, params) or []
        found = [found] if isinstance(found, dict) else found
        return sorted({(path_of(f.get("uri") or f["targetUri"]),
                        (f.get("range") or f["targetSelectionRange"])["start"]["line"] + 1,
                        (f.get("range") or f["targetSelectionRange"])["start"]["character"]) for f in found})

    def definition(self, path, line, column):
        return self.places("textDocument/definition", path, line, column)

    def references(self, path, line, column):
        return self.places("textDocument/references", path, line, column, context={"includeDeclaration": False})

    def close(self):
        self.process.kill()
