"""A client that breaks the rules of the protocol is told so, and the server ends as it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

COMMAND = (sys.executable, "-m", "unplace", "server")


def talk(*messages: dict[str, Any]) -> tuple[dict[Any, Any], int]:
    """The answers by their ids, and the exit code, of a server that is told all of this at once."""
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    told = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    ended = subprocess.run(COMMAND, input=told, capture_output=True, check=False, timeout=120)
    answers, rest = {}, ended.stdout
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        length = int(re.findall(rb"Content-Length: (\d+)", head)[0])
        answer = json.loads(rest[:length])
        answers[answer.get("id")] = answer
        rest = rest[length:]
    return answers, ended.returncode


BEGIN = {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}}
HOVER = {"method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///m.py"}, "position": {}}}
EXIT = {"method": "exit"}


def test_every_request_is_answered() -> None:
    well = {**HOVER["params"], "position": {"line": 0, "character": 0}}
    answers, code = talk(
        {**HOVER, "id": 0, "params": well},
        BEGIN,
        {**HOVER, "id": 2},
        {**BEGIN, "id": 5},
        {"id": 3, "method": "shutdown"},
        {**HOVER, "id": 4, "params": well},
        EXIT,
    )
    assert [answers[number].get("error", {}).get("code") for number in range(6)] == [
        *(-32002, None, -32602),
        *(None, -32600, -32600),
    ]
    assert code == 0


def test_an_end_without_a_goodbye_is_an_error() -> None:
    assert talk(BEGIN, EXIT)[1] == 1
