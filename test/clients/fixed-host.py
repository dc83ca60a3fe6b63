# What a connector with a built-in host name does: the name of the tenant is all that it is told. It knows the authority
# of the certificate from REQUESTS_CA_BUNDLE. The last line of its output is one JSON object for the test that runs it.
import json
import ssl
import sys
import urllib.request

import requests

tenant, client_id, client_secret = sys.argv[1:]
base = f"https://{tenant}.api.identitynow-demo.com"
credentials = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
token = requests.post(f"{base}/oauth/token", params=credentials, timeout=30)
token.raise_for_status()
headers = {"Authorization": f"Bearer {token.json()['access_token']}"}
body = {"indices": ["events"], "query": {"query": "*"}, "sort": ["created"]}
events = requests.post(f"{base}/v2025/search/events", params={"limit": 5, "count": "true"}, json=body, headers=headers, timeout=30)
events.raise_for_status()
# Python's own client, which reads SSL_CERT_FILE.
with urllib.request.urlopen(f"{base}/health", context=ssl.create_default_context(), timeout=30) as answer:
    health = answer.status
print(json.dumps({"events": len(events.json()), "total": events.headers["X-Total-Count"], "health": health}))
