# Reads a tenant with the official Python package: whole indexes page by page, counts, documents by id
# and auth users. The last line of its output is one JSON object, which must be the same for a mirror.
import json

import sailpoint.auth_users as auth_users
import sailpoint.search as search
from sailpoint.configuration import Configuration
from sailpoint.paginator import Paginator

SEARCHES = [
    ("identities", "*", "id"),
    ("identities", "@access(type:ROLE) AND NOT @accounts(disabled:true)", "-name"),
    ("roles", "enabled:true", "id"),
    ("accessprofiles", "*", "id"),
    ("entitlements", "privileged:true", "id"),
    ("accountactivities", "*", "-id"),
    ("events", "NOT stack:cardea", "id"),
]
configuration = Configuration()
searching = search.SearchApi(search.ApiClient(configuration))
users = auth_users.AuthUsersApi(auth_users.ApiClient(configuration))


def body(index, text, sort):
    return search.Search(indices=[index], query=search.Query(query=text), sort=[sort])


def total(index, text, sort):
    counted = searching.search_count_v1_with_http_info(body(index, text, sort))
    return counted.headers["X-Total-Count"]


def user(id):
    try:
        found = users.get_auth_user_v1(id).to_dict()
    except auth_users.ApiException as error:
        return error.status
    # Signing in changes the user of the credentials.
    return {name: value for name, value in found.items() if "LoginTimestamp" not in name}


walks = [list(Paginator.paginate_search(searching, body(*one), 25, 5000)) for one in SEARCHES]
ids = [identity["id"] for identity in walks[0][:20]]
print(
    json.dumps(
        {
            "walks": walks,
            "counts": [total(*one) for one in SEARCHES],
            "documents": [searching.search_get_v1("identities", id) for id in ids[:5]],
            "users": [user(id) for id in ids],
        },
        default=str,
    )
)
