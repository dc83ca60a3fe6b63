# A few calls with a Python client that openapi-python-client generates from the OpenAPI document of a running server
# (docs/api.md, "Generate a client"). Prints one JSON object.
import base64
import json
import os

from cardea_client import AuthenticatedClient
from cardea_client.api.types_and_attributes_of_profiles import list_profile_types
from cardea_client.api.search import search
from cardea_client.api.tokens import issue_token
from cardea_client.models import (
    Error,
    Hit,
    IndexNameOrAll,
    IssueTokenGrantType,
    ListProfileTypesOrder,
    Search,
    SearchQuery,
    TokenAnswer,
)

url = os.environ["CARDEA_URL"]
secret = os.environ["CARDEA_CLIENT_ID"] + ":" + os.environ["CARDEA_CLIENT_SECRET"]

basic = AuthenticatedClient(url, base64.b64encode(secret.encode()).decode(), prefix="Basic")
token = issue_token.sync(client=basic, grant_type=IssueTokenGrantType.CLIENT_CREDENTIALS)
assert isinstance(token, TokenAnswer), token

tenant = AuthenticatedClient(url + "/v2025", token.access_token)


def asked(text: str) -> Search:
    return Search(indices=[IndexNameOrAll.IDENTITIES], query=SearchQuery(query=text), sort=["id"])


people = search.sync_detailed(client=tenant, body=asked("*"), limit=2, count=True)
assert isinstance(people.parsed, list), people
refused = search.sync(client=tenant, body=asked('name:"not closed'))
assert isinstance(refused, Error), refused

profile_management = AuthenticatedClient(url + "/api", token.access_token)
types = list_profile_types.sync(
    client=profile_management, limit=2, order=ListProfileTypesOrder.NAME
)
assert isinstance(types, list), types

print(
    json.dumps(
        {
            "people": [hit.id if isinstance(hit, Hit) else hit for hit in people.parsed],
            "total": people.headers["X-Total-Count"],
            "cause": refused.causes[0].text,
            "profileTypes": [type.name for type in types],
        }
    )
)
