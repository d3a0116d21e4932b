"""The Chat Completions API as far as clients read it that can be pointed at a server of one's own."""
import json

import model


class Chat:
    """A request without tools is none of the conversation: a title, a summary."""

    SUMMARY = "A summary of what was said."

    @staticmethod
    def is_turn(path, body):
        return path.endswith("/chat/completions") and bool(body.get("tools"))

    @staticmethod
    def reply(handler, path, body, turn):
        if not path.endswith("/chat/completions"):
            return model.send_json(handler, {"object": "list", "data": []})
        turn = turn or {"text": Chat.SUMMARY, "at": "x"}
        if "status" in turn:
            return model.send_json(handler, {"error": {"message": "scripted refusal"}}, turn["status"])
        calls = [{"index": i, "id": "call_%s_%d" % (turn["at"], i), "type": "function",
                  "function": {"name": tool["name"], "arguments": json.dumps(tool["input"])}}
                 for i, tool in enumerate(turn.get("tools", []))]
        message = {"role": "assistant", "content": turn.get("text", "")}
        if calls:
            message["tool_calls"] = calls
        finish = "tool_calls" if calls else "stop"
        tokens = turn.get("tokens", 10)
        usage = {"prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5}
        shared = {"id": "chat_%s" % turn["at"], "created": 1, "model": body.get("model", "scripted")}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            return model.send_json(handler, dict(shared, object="chat.completion", choices=[choice], usage=usage))
        shared["object"] = "chat.completion.chunk"
        return model.send_events(handler, [
            (None, dict(shared, choices=[{"index": 0, "delta": message, "finish_reason": None}])),
            (None, dict(shared, choices=[{"index": 0, "delta": {}, "finish_reason": finish}])),
            (None, dict(shared, choices=[], usage=usage)),
        ])


def tool(name, /, **arguments):
    return {"name": name, "input": arguments}
