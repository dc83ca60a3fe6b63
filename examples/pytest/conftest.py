"""A throw-away tenant of Cardea for all tests of a run, reset before each of them."""
import json
import os
import shlex
import signal
import subprocess
import urllib.parse
import urllib.request

import pytest


class Tenant:
    def __init__(self, ready):
        self.base_url = ready["baseUrl"]
        self.credentials = ready["credentials"]
        self.env = ready["env"]
        form = urllib.parse.urlencode({
            "grant_type": "client_credentials",
            "client_id": self.credentials["clientId"],
            "client_secret": self.credentials["clientSecret"],
        })
        self.token = None
        self.token = self.call("POST", "/oauth/token", form, "application/x-www-form-urlencoded")["access_token"]

    def call(self, method, path, body=None, content_type="application/json"):
        data = body if body is None or isinstance(body, str) else json.dumps(body)
        # Preparations are not part of what the advisor judges.
        headers = {"Content-Type": content_type, "Cardea-Test": "setup"}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        request = urllib.request.Request(self.base_url + path, data and data.encode(), headers, method=method)
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def seed(self, documents):
        return self.call("POST", "/admin/v1/documents?refresh=wait", documents)

    def reset(self):
        self.call("POST", "/admin/v1/reset")

    def advice(self):
        return self.call("GET", "/admin/v1/advice")


@pytest.fixture(scope="session")
def server():
    command = shlex.split(os.environ.get("CARDEA", "npx --no-install cardea"))
    arguments = ["start", "--ephemeral", "--print-env", "--identities", "0"]
    process = subprocess.Popen(command + arguments, stdout=subprocess.PIPE, text=True)
    ready = json.loads(process.stdout.readline())
    yield Tenant(ready)
    os.kill(ready["pid"], signal.SIGTERM)
    process.wait(timeout=30)


@pytest.fixture
def tenant(server):
    server.reset()
    return server
