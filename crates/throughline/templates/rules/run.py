#!/usr/bin/env python3
"""The rule {{name}}. The event comes as one line of JSON on the standard input, secrets already taken out of it.

Print nothing to stay silent, or one JSON object of: say (to the agent), tell (the person), deny, ask (before a tool
call), hold (the end of a turn). Leaving with another code than 0 is a fault of the rule, and silence.
"""

import json
import sys

event = json.load(sys.stdin)

if "{{example}}" in json.dumps(event):
    print(json.dumps({"{{answer}}": "{{reason}}"}))
