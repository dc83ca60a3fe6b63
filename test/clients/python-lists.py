# What an ordinary user of the official Python package reads as lists, of the tenant that the SAIL_ variables name.
# Every object goes through the models of the package. The last line of its output is one JSON object for the test that
# runs it: of each list the ids, and one object read again by its id.
import json

import sailpoint.access_profiles as access_profiles
import sailpoint.account_activities as account_activities
import sailpoint.accounts as accounts
import sailpoint.entitlements as entitlements
import sailpoint.identities as identities
import sailpoint.public_identities as public_identities
import sailpoint.roles as roles
import sailpoint.sources as sources
from sailpoint.configuration import Configuration
from sailpoint.paginator import Paginator

configuration = Configuration()
# The package refuses to call some lists without it.
configuration.experimental = True


def api(package, name):
    return getattr(package, name)(package.ApiClient(configuration))


account_api = api(accounts, "AccountsApi")
role_api = api(roles, "RolesApi")
profile_api = api(access_profiles, "AccessProfilesApi")
identity_api = api(identities, "IdentitiesApi")
entitlement_api = api(entitlements, "EntitlementsApi")
source_api = api(sources, "SourcesApi")
activity_api = api(account_activities, "AccountActivitiesApi")
public_api = api(public_identities, "PublicIdentitiesApi")


def read(list_function, get_function, page):
    rows = Paginator.paginate(list_function, 100000, limit=page)
    counted = getattr(list_function.__self__, list_function.__name__ + "_with_http_info")(
        limit=1, count=True
    )
    again = get_function is None or get_function(rows[-1].id).to_dict() == rows[-1].to_dict()
    return {
        "ids": [row.id for row in rows],
        "total": counted.headers["X-Total-Count"],
        "again": again,
    }


def below(list_function, ids):
    return sum(len(list_function(id)) for id in ids[:40])


lists = {
    "accounts": read(account_api.list_accounts_v1, account_api.get_account_v1, 250),
    "identities": read(identity_api.list_identities_v1, identity_api.get_identity_v1, 100),
    "public-identities": read(public_api.get_public_identities_v1, None, 250),
    "roles": read(role_api.list_roles_v1, role_api.get_role_v1, 20),
    "access-profiles": read(
        profile_api.list_access_profiles_v1, profile_api.get_access_profile_v1, 50
    ),
    "entitlements": read(
        entitlement_api.list_entitlements_v1, entitlement_api.get_entitlement_v1, 50
    ),
    "sources": read(source_api.list_sources_v1, source_api.get_source_v1, 7),
    "account-activities": read(
        activity_api.list_account_activities_v1, activity_api.get_account_activity_v1, 10
    ),
}
print(
    json.dumps(
        {
            "lists": lists,
            "below": {
                "accounts": below(account_api.get_account_entitlements_v1, lists["accounts"]["ids"]),
                "roles": below(role_api.get_role_assigned_identities_v1, lists["roles"]["ids"]),
                "roleEntitlements": below(role_api.get_role_entitlements_v1, lists["roles"]["ids"]),
                "accessProfiles": below(
                    profile_api.get_access_profile_entitlements_v1, lists["access-profiles"]["ids"]
                ),
            },
        }
    )
)
