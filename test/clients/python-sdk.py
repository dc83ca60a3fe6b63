# What an ordinary user of the official Python package does, against the tenant that the SAIL_ variables name. The
# last line of its output is one JSON object for the test that runs it.
import json
import sys

import sailpoint.auth_users as auth_users
import sailpoint.personal_access_tokens as tokens
import sailpoint.saved_search as saved_search
import sailpoint.scheduled_search as scheduled_search
import sailpoint.search as search
from sailpoint.configuration import Configuration
from sailpoint.paginator import Paginator

user_id, = sys.argv[1:]
configuration = Configuration()
searching = search.SearchApi(search.ApiClient(configuration))
users = auth_users.AuthUsersApi(auth_users.ApiClient(configuration))
pats = tokens.PersonalAccessTokensApi(tokens.ApiClient(configuration))
saving = saved_search.SavedSearchApi(saved_search.ApiClient(configuration))
scheduling = scheduled_search.ScheduledSearchApi(scheduled_search.ApiClient(configuration))


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


def saved_searches():
    made = saving.create_saved_search_v1(
        saved_search.CreateSavedSearchV1Request(
            name="from Python", indices=["identities"], query="name:p00*", sort=["name"]
        )
    )
    made.name = "renamed"
    replaced = saving.put_saved_search_v1(made.id, made)
    plan = scheduling.create_scheduled_search_v1(
        scheduled_search.CreateScheduledSearchV1Request.from_dict(
            {
                "savedSearchId": made.id,
                "enabled": True,
                "recipients": [{"type": "IDENTITY", "id": user_id}],
                "schedule": {
                    "type": "MONTHLY",
                    "days": {"type": "LIST", "values": ["15", "L"]},
                    "hours": {"type": "RANGE", "values": ["9", "18"], "interval": 3},
                    "timeZoneId": "Europe/Oslo",
                },
            }
        )
    )
    plan.name = "monthly"
    changed = scheduling.update_scheduled_search_v1(plan.id, plan)
    filters = f'savedSearchId eq "{made.id}"'
    listed = saving.list_saved_searches_v1_with_http_info(count=True, limit=250)
    run = saving.execute_saved_search_v1_with_http_info(
        made.id, saved_search.SearchArguments(schedule_id=plan.id)
    )
    left = scheduling.unsubscribe_scheduled_search_v1_with_http_info(
        plan.id, scheduled_search.TypedReference(type="IDENTITY", id=user_id)
    )
    return {
        "name": replaced.name,
        "read": saving.get_saved_search_v1(made.id).query,
        "listed": [each.name for each in listed.data],
        "total": listed.headers["X-Total-Count"],
        "changed": changed.name,
        "plans": [each.id == plan.id for each in scheduling.list_scheduled_search_v1(filters=filters)],
        "run": run.status_code,
        "left": [left.status_code, scheduling.get_scheduled_search_v1(plan.id).recipients],
        "deleted": [
            scheduling.delete_scheduled_search_v1_with_http_info(plan.id).status_code,
            saving.delete_saved_search_v1_with_http_info(made.id).status_code,
        ],
        "gone": fault(lambda: saving.get_saved_search_v1(made.id), saved_search.ApiException),
    }


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
            "saved": saved_searches(),
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
