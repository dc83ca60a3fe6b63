// Names of members that documents have, as JSON writes them: the dictionary of the LZ4 blocks of
// document-bytes.ts. A block refers to texts of the dictionary as to texts before it, so that a name
// that occurs once in a document is a reference, too. The names are those of the static mapping
// (query/mapping/document-types.ts) when this was written.
// Invariant: it never changes, as the blocks in the databases cannot be read without it.

const NESTED = `
  entitlements segments apps approvals originalRequests expansionItems accountRequests
  permissions accounts access accessProfiles dimensions
`;
const OBJECTS = `
  source owner requester recipient comments attributeRequest result attributeRequests
  provisioningTarget manuallyUpdatedFields actor target manager identityProfile
  processingDetails owns sources entitlements accessProfiles roles apps governanceGroups
  account dimensionSchemaAttributes
`;
const TEXTS = `
  id name description tags created modified synced type email attribute value schema
  trackingNumber action stage status sources errors warnings accountUuid result comment
  commenter date op accountId cause state ticketId hash displayName sourceSchemaObjectType
  truncatedAttributes target rights details ipAddress stack operation technicalName objects
  firstName lastName phone employeeNumber processingState visibleSegments stackTrace message
  passwordLastSet
`;
const FLAGS = `
  enabled requestable requestCommentsRequired privileged hasPermissions cloudGoverned
  containsDataAccess DESCRIPTION DISPLAY_NAME inactive protected disabled locked isManager
  fallbackApprover manuallyCorrelated supportsPasswordChange standalone revocable
  cloudEligible dimensional derived
`;
const NUMBERS = `
  entitlementCount segmentCount accountCount appCount accessCount roleCount accessProfileCount
  ownsCount tagCount visibleSegmentCount retryCount dimensionSchemaAttributeCount
`;

/** The dictionary of documents that begin with the byte 0x01. */
export const DOCUMENT_DICTIONARY: Buffer = Buffer.from(
  [
    ...members(NESTED, '[{"'),
    ...members(OBJECTS, '{"'),
    ...members(TEXTS, '"'),
    ...members(FLAGS, 'false,'),
    ...members(NUMBERS, ''),
  ].join(''),
);

/** The names as members, each with the beginning of its value. */
function members(names: string, value: string): string[] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => `"${name}":${value}`);
}
