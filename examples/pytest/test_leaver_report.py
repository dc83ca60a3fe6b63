import json
import urllib.request

QUERY = "inactive:true AND @accounts(disabled:false)"


def leavers(tenant):
    """The integration to be tested."""
    body = {"indices": ["identities"], "query": {"query": QUERY}, "sort": ["id"]}
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + tenant.token}
    url = tenant.base_url + "/v2024/search?limit=250"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return [identity["id"] for identity in json.load(answer)]


def person(id, inactive, disabled):
    source = {"id": "directory", "name": "Directory"}
    account = {"id": "a-" + id, "name": id, "disabled": disabled, "source": source}
    return {"_type": "identity", "id": id, "name": id, "inactive": inactive, "accounts": [account]}


def test_lists_people_who_left_and_have_an_open_account(tenant):
    tenant.seed([person("ada", True, False), person("ben", True, True), person("eve", False, False)])
    assert leavers(tenant) == ["ada"]
    assert tenant.advice() == []


def test_starts_from_nothing_again(tenant):
    assert leavers(tenant) == []
