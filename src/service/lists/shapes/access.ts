// Roles, access profiles and entitlements (collections.md section 3).
import { idsOf, type Json, objectOf, objectsOf, referenceOf, referencesOf } from './members.ts';

export function role(document: Json): Json {
  const { id, name = null, description = null, created, modified } = document;
  const { enabled, requestable, dimensional } = document;
  return {
    id,
    name,
    created,
    modified,
    description,
    owner: referenceOf(document['owner'], 'IDENTITY'),
    accessProfiles: referencesOf(document['accessProfiles'], 'ACCESS_PROFILE'),
    entitlements: referencesOf(document['entitlements'], 'ENTITLEMENT'),
    enabled,
    requestable,
    accessRequestConfig: requestConfig(document),
    segments: idsOf(document['segments']),
    dimensional,
    dimensionRefs: referencesOf(document['dimensions'], 'DIMENSION'),
  };
}

export function accessProfile(document: Json): Json {
  const { id, name = null, description = null, created, modified } = document;
  const { enabled, requestable } = document;
  return {
    id,
    name,
    description,
    created,
    modified,
    enabled,
    owner: referenceOf(document['owner'], 'IDENTITY'),
    source: referenceOf(document['source'], 'SOURCE'),
    entitlements: referencesOf(document['entitlements'], 'ENTITLEMENT'),
    requestable,
    accessRequestConfig: requestConfig(document),
    segments: idsOf(document['segments']),
  };
}

/** An entitlement, from its document, or from what a role or access profile has of it. */
export function entitlement(document: Json): Json {
  const { id, name, attribute, value, description = null, created, modified } = document;
  const { privileged, cloudGoverned, requestable, permissions, attributes } = document;
  const { manuallyUpdatedFields } = document;
  return {
    id,
    name,
    attribute,
    value,
    sourceSchemaObjectType: document['sourceSchemaObjectType'] ?? document['schema'],
    description,
    privileged,
    cloudGoverned,
    requestable,
    owner: referenceOf(document['owner'], 'IDENTITY'),
    manuallyUpdatedFields,
    created,
    modified,
    source: referenceOf(document['source'], 'SOURCE') ?? undefined,
    attributes,
    segments: idsOf(document['segments']),
    directPermissions: Array.isArray(permissions)
      ? objectsOf(permissions).map(({ target, rights }) => ({ target, rights: listed(rights) }))
      : undefined,
  };
}

function requestConfig({ requestCommentsRequired }: Json): Json | undefined {
  return requestCommentsRequired === undefined
    ? undefined
    : { commentsRequired: requestCommentsRequired };
}

/** The rights of a permission: a document may have them as one text. */
function listed(rights: unknown): unknown {
  return typeof rights === 'string' ? rights.split(',').map((right) => right.trim()) : rights;
}

/** The value of a filter's field of an entitlement. */
export function entitlementValue(shape: Json, name: string): unknown {
  const [member = '', below] = name.split('.');
  const value = shape[member === 'type' ? 'sourceSchemaObjectType' : member];
  return below === undefined ? value : objectOf(value)[below];
}
