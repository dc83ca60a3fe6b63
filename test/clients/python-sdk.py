# What an ordinary user of the official Python package does, against the tenant that the SAIL_ variables name. The
# last line of its output is one JSON object for the test that runs it.
import json
import sys

import sailpoint.auth_users as auth_users
import sailpoint.personal_access_tokens as tokens
import sailpoint.search as search
from sailpoint.configuration import Configuration
from sailpoint.paginator import Paginator

user_id, = sys.argv[1:]
configuration = Configuration()
searching = search.SearchApi(search.ApiClient(configuration))
users = auth_users.AuthUsersApi(auth_users.ApiClient(configuration))
pats = tokens.PersonalAccessTokensApi(tokens.ApiClient(configuration))


def body(text, **members):
    return search.Search(indices=["identities"], query=search.Query(query=text), **members)


def fault(call, error):
    try:
        call()
    except error as raised:
        causes = [cause.text for cause in raised.data.causes]
        return [raised.status, raised.data.detail_code, raised.data.tracking_id, causes]
    return None


def patched(operation):
    change = auth_users.JsonPatchOperation.from_dict(operation)
    return users.patch_auth_user_v1(user_id, [change]).capabilities


page = searching.search_post_v1_with_http_info(body("*", sort=["id"]), limit=3, count=True)
counted = searching.search_count_v1_with_http_info(body("*"))
walk = lambda sort, step: [
    row["id"]
    for row in Paginator.paginate_search(searching, body("*", sort=[sort]), step, 10000)
]
made = pats.create_personal_access_token_v1(
    tokens.CreatePersonalAccessTokenRequest(name="from Python")
)
print(
    json.dumps(
        {
            "page": [row["id"] for row in page.data],
            "pageTotal": page.headers["X-Total-Count"],
            "count": [counted.status_code, counted.headers["X-Total-Count"]],
            "bare": sorted(searching.search_get_v1("identities", page.data[0]["id"])),
            "walks": {
                "id by 250": walk("id", 250),
                "-id by 50": walk("-id", 50),
                "+name by 251": walk("+name", 251),
            },
            "stream": len(
                list(Paginator.paginate_stream_search(searching, body("*", sort=["id"]), 100, 10000))
            ),
            "offsets": len(
                Paginator.paginate(searching.search_post_v1, 1000, search=body("*"), limit=100)
            ),
            "badQuery": fault(
                lambda: searching.search_post_v1(body("(a")), search.ApiException
            ),
            "unknown": fault(
                lambda: searching.search_get_v1("identities", "nobody"), search.ApiException
            ),
            "user": users.get_auth_user_v1(user_id).to_dict(),
            "granted": patched({"op": "add", "path": "/capabilities/-", "value": "HELPDESK"}),
            "taken": patched({"op": "remove", "path": "/capabilities/0"}),
            "illegal": fault(
                lambda: patched({"op": "replace", "path": "/email", "value": "x"}),
                auth_users.ApiException,
            ),
            "token": [made.name, len(made.secret), made.access_token_validity_seconds],
            "listed": [token.name for token in pats.list_personal_access_tokens_v1(owner_id="me")],
            "deleted": pats.delete_personal_access_token_v1_with_http_info(made.id).status_code,
            "left": [token.name for token in pats.list_personal_access_tokens_v1()],
        },
        default=str,
    )
)
