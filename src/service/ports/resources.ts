// The records of profile management that describe, link and rate profiles (contract/profiles.md
// section 6). Profiles are in ports/profile-records.ts.
// Invariant: a reference to another record is its id, never its uid.

/** The members of every record. */
export interface Resource {
  /** UUID, lower case. */
  readonly id: string;
  /** Readable key, unique in its tenant and kind. */
  readonly uid: string;
  /** ISO 8601 with milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const CATEGORIES = [
  'employee',
  'non-employee',
  'organization',
  'assignment',
  'other',
] as const;

/** An attribute whose values identify duplicates of a type. */
export interface DupAttribute {
  readonly id: string;
  readonly uid: string;
  readonly profileTypeId: string;
  readonly neAttributeId: string;
}

/** An attribute whose values make up the name of a profile, in ascending `order`. */
export interface Naming extends DupAttribute {
  readonly order: number;
}

export interface ProfileType extends Resource {
  readonly name: string;
  readonly category: (typeof CATEGORIES)[number] | null;
  readonly bypassDupProtection: boolean;
  readonly archived: boolean;
  readonly permittedRoleIds: readonly string[];
  readonly iscSynced: boolean;
  readonly profileTypeDupAttributes: readonly DupAttribute[];
  readonly profileTypeNamings: readonly Naming[];
}

/** The data types of attributes, and their class names. */
export const ATTRIBUTE_CLASSES = {
  'text field': 'TextFieldAttribute',
  'text area': 'TextAreaAttribute',
  'drop-down': 'DropDownAttribute',
  'radio buttons': 'RadioButtonsAttribute',
  'check boxes': 'CheckBoxesAttribute',
  date: 'DateAttribute',
  tags: 'TagsAttribute',
  attachment: 'AttachmentAttribute',
  'profile select': 'ProfileSelectAttribute',
  'profile search': 'ProfileSearchAttribute',
  'owner select': 'OwnerSelectAttribute',
  'owner search': 'OwnerSearchAttribute',
  'contributor select': 'ContributorSelectAttribute',
  'contributor search': 'ContributorSearchAttribute',
} as const;

export type DataType = keyof typeof ATTRIBUTE_CLASSES;
export type AttributeClass = (typeof ATTRIBUTE_CLASSES)[DataType];

export const DATE_FORMATS = [
  'mm/dd/yyyy',
  'mm-dd-yyyy',
  'dd/mm/yyyy',
  'dd-mm-yyyy',
  'yyyy/mm/dd',
  'yyyy-mm-dd',
] as const;

export type DateFormat = (typeof DATE_FORMATS)[number];

export const VALIDATION_METHODS = [
  'required',
  'unique',
  'date_format',
  'days',
  'characters',
  'extension',
  'numericality',
  'email_format',
  'custom_format',
  'no_special_chars',
] as const;

/** A rule for the values of an attribute; at most one of each method. */
export interface Validation {
  readonly validationMethod: (typeof VALIDATION_METHODS)[number];
  readonly value: string | null;
}

export interface Attribute extends Resource {
  readonly label: string;
  readonly description: string | null;
  readonly toolTip: string | null;
  readonly crypt: boolean;
  readonly archived: boolean;
  readonly archivedOn: string | null;
  /** null: `mm/dd/yyyy`. */
  readonly dateFormat: DateFormat | null;
  readonly selectableStatus: string | null;
  readonly riskType: string;
  readonly riskScoreSetting: string;
  readonly ownershipDriven: boolean;
  readonly allowMultipleSelections: boolean;
  readonly filteredByNeAttribute: boolean;
  readonly filteringNeAttributeId: string | null;
  readonly neAttributeFilterId: string | null;
  readonly reverseAssociationAttribute: Readonly<Record<string, unknown>> | null;
  readonly profileTypeId: string | null;
  readonly legacyId: string | null;
  readonly dataType: DataType;
  readonly type: AttributeClass;
  readonly validations: readonly Validation[];
}

export interface AttributeOption extends Resource {
  readonly neAttributeId: string;
  readonly option: string;
}

export const USER_TYPES = ['NeprofileUser', 'NeaccessUser'] as const;
export const USER_STATUSES = ['Active', 'Pending', 'Disabled'] as const;

export interface User extends Resource {
  readonly name: string;
  readonly email: string;
  readonly type: (typeof USER_TYPES)[number];
  readonly title: string | null;
  readonly status: (typeof USER_STATUSES)[number];
  readonly login: string;
  readonly lastLogin: string | null;
  readonly cookiesAcceptedAt: string | null;
  readonly preferredLanguage: string | null;
  readonly locale: string | null;
  /** Names of groups, separated by commas. */
  readonly groupStrings: string | null;
  readonly sailpointIdentityId: string | null;
  /** The profile of a NeaccessUser. */
  readonly profileId: string | null;
}

export const ROLE_TYPES = ['NeprofileRole', 'NeaccessRole'] as const;

export interface Role extends Resource {
  readonly name: string;
  readonly type: (typeof ROLE_TYPES)[number];
  readonly groups: readonly string[];
  readonly archived: boolean;
}

export interface UserRole extends Resource {
  readonly userId: string;
  readonly roleId: string;
}

export interface RoleProfile extends Resource {
  readonly roleId: string;
  readonly profileId: string;
}

export const RELATIONSHIP_TYPES = ['owner', 'contributor'] as const;

export interface UserProfile extends Resource {
  readonly userId: string;
  readonly profileId: string;
  readonly neAttributeId: string | null;
  readonly relationshipType: (typeof RELATIONSHIP_TYPES)[number];
}

export interface UserManager extends Resource {
  readonly userId: string;
  readonly managerId: string;
}

export interface RiskLevel extends Resource {
  readonly label: string;
  readonly order: number;
  readonly points: number | null;
}

export const RISK_OBJECT_TYPES = ['Profile', 'WorkflowSession'] as const;

export interface RiskScore extends Resource {
  readonly objectId: string;
  readonly objectType: (typeof RISK_OBJECT_TYPES)[number];
  readonly overallScore: number | null;
  readonly overallRiskLevelId: string | null;
  readonly impactScore: number | null;
  readonly impactRiskLevelId: string | null;
  readonly probabilityScore: number | null;
  readonly probabilityRiskLevelId: string | null;
}

/** The record of each kind. */
export interface ResourceTypes {
  readonly profileType: ProfileType;
  readonly attribute: Attribute;
  readonly option: AttributeOption;
  readonly user: User;
  readonly role: Role;
  readonly userRole: UserRole;
  readonly roleProfile: RoleProfile;
  readonly userProfile: UserProfile;
  readonly userManager: UserManager;
  readonly riskLevel: RiskLevel;
  readonly riskScore: RiskScore;
}

export type ResourceKind = keyof ResourceTypes;

/** Kinds that references can point to. */
export type ReferableKind = ResourceKind | 'profile';
