// One profile while it is written: its own members, merged from the request and the stored record.
// profile-writer.ts handles the values of attributes.
// Invariant: members that are not sent keep their value, unknown members are ignored.
import { randomUUID } from 'node:crypto';
import { newId } from '../../../auth/secrets.ts';
import type { Profile, ProfileValue } from '../../ports/profile-records.ts';
import type { ProfileType } from '../../ports/resources.ts';
import { addError, type FieldErrors } from '../resources/faults.ts';
import { membersOf } from '../resources/members-of.ts';
import { readFlag } from '../resources/record-reader.ts';
import { foldText } from './fold-text.ts';

export const PROFILE_STATUSES = ['Active', 'Inactive', 'On Leave', 'Terminated'] as const;
/** Results of proving the identity of a person; null is none. */
export const PROOFING_STATUSES = ['pending', 'pass', 'fail'] as const;

/** The members that a caller may send of a profile, by wire name. */
export const PROFILE_MEMBERS: readonly string[] = [
  ...['uid', 'name', 'profile_type_id', 'status', 'id_proofing_status', 'archived', 'attributes'],
];

/** The longest name and uid. */
const LENGTH_MAX = 255;
const BLANK = "can't be blank";

/** The members sent for a profile, with the stored one; `before` is null for a new one. */
export interface ProfileRequest {
  readonly body: ReadonlyMap<string, unknown>;
  readonly before: Profile | null;
  readonly origin?: Origin;
  /** ISO 8601 with milliseconds: when a stored profile changed; now when omitted. */
  readonly changedAt?: string;
  /**
   * True for a copy of a profile that existed: its values are not checked for validations, several
   * selections and duplicates, and those of attachments are left out.
   */
  readonly restores?: boolean;
}

/** A profile of a call, before anything is written. */
export interface ProfileDraft {
  /** The members of the request. */
  readonly body: ReadonlyMap<string, unknown>;
  /** The stored profile; null for a new one. */
  readonly before: Profile | null;
  readonly errors: FieldErrors;
  profile: Profile;
  /** The member `attributes` of the request. */
  readonly attributes: ReadonlyMap<string, unknown>;
  /** Values to write. */
  readonly values: ProfileValue[];
  /** Shown texts of values by attribute id, as they are after the call. */
  readonly texts: Map<string, string>;
  readonly restores: boolean;
  /** Uids of attachments that are left out of a restored profile. */
  readonly attachments: string[];
}

/** Members that an import takes over from the source; callers of the API cannot set them. */
export type Origin = Partial<Pick<Profile, 'id' | 'createdAt' | 'updatedAt'>>;

/** Data loaded once for all profiles of a call. */
export interface DraftContext {
  /** ISO 8601 with milliseconds. */
  readonly now: string;
  /** By id and by uid. */
  readonly types: ReadonlyMap<string, ProfileType>;
  /** Ids and uids that exist already. */
  readonly taken: ReadonlySet<string>;
}

/** Reads a status as clients write it: rules use `Leave of absence`, old scripts 1. */
export function statusOf(value: unknown): string | null {
  if (value === 1) return 'Active';
  if (typeof value !== 'string') return null;
  if (foldText(value) === 'leave of absence') return 'On Leave';
  return PROFILE_STATUSES.find((word) => word === value) ?? null;
}

/** Reads all members except values and the name, which may be composed of values. */
export function draftProfile(
  { body, before, origin = {}, restores = false }: ProfileRequest,
  context: DraftContext,
): ProfileDraft {
  const errors: FieldErrors = {};
  const sent = body.get('attributes') ?? {};
  const attributes = membersOf(sent);
  if (attributes === null) addError(errors, 'attributes', 'must be an object');
  const profile = before ?? {
    id: randomUUID(),
    uid: readUid(body.get('uid'), context.taken, errors) ?? newId(),
    name: '',
    profileTypeId: '',
    status: '',
    idProofingStatus: null,
    archived: false,
    createdAt: context.now,
    updatedAt: context.now,
    ...origin,
  };
  return {
    body,
    before,
    errors,
    attributes: attributes ?? new Map(),
    values: [],
    texts: new Map(),
    restores,
    attachments: [],
    profile: { ...profile, ...readMembers(body, profile, context, errors) },
  };
}

type Members = Pick<Profile, 'profileTypeId' | 'status' | 'idProofingStatus' | 'archived'>;

function readMembers(
  body: ReadonlyMap<string, unknown>,
  profile: Profile,
  { types }: DraftContext,
  errors: FieldErrors,
): Members {
  const { profileTypeId, status, idProofingStatus, archived } = profile;
  const member = <T>(
    name: string,
    current: T,
    read: (value: unknown) => T | undefined,
    fault: string,
  ) => {
    const value = body.get(name);
    if (value === undefined) return current;
    const valid = read(value);
    if (valid !== undefined) return valid;
    addError(errors, name, fault);
    return current;
  };
  const blankError = (name: string) => (isBlank(body.get(name)) ? BLANK : null);
  const read = {
    profileTypeId: member(
      'profile_type_id',
      profileTypeId,
      (value) => (typeof value === 'string' ? types.get(value)?.id : undefined),
      blankError('profile_type_id') ?? 'was not found',
    ),
    status: member(
      'status',
      status,
      (value) => statusOf(value) ?? undefined,
      blankError('status') ?? 'is not included in the list',
    ),
    idProofingStatus: member<string | null>(
      'id_proofing_status',
      idProofingStatus,
      (value) =>
        value === null ? null : PROOFING_STATUSES.find((candidate) => candidate === value),
      'is not included in the list',
    ),
    archived: member(
      'archived',
      archived,
      (value) => (value === null ? false : readFlag(value)),
      'must be true or false',
    ),
  };
  if (read.profileTypeId === '' && errors['profile_type_id'] === undefined)
    addError(errors, 'profile_type_id', BLANK);
  if (read.status === '' && errors['status'] === undefined) addError(errors, 'status', BLANK);
  return read;
}

function readUid(value: unknown, taken: ReadonlySet<string>, errors: FieldErrors): string | null {
  if (isBlank(value)) return null;
  if (typeof value !== 'string') addError(errors, 'uid', 'must be a string');
  else if (value.length > LENGTH_MAX)
    addError(errors, 'uid', `must have 1 to ${LENGTH_MAX} characters`);
  else if (taken.has(value)) addError(errors, 'uid', 'has already been taken');
  else return value;
  return null;
}

/**
 * Sets the name: the one that was sent; if none was sent for a new profile, or an empty one, the
 * name is composed of the values of the naming attributes.
 */
export function nameProfile(draft: ProfileDraft, type: ProfileType | undefined): void {
  const { body, errors, profile, texts } = draft;
  const sent = body.get('name');
  if (sent === undefined && draft.before !== null) return;
  if (!isBlank(sent)) {
    if (typeof sent !== 'string') addError(errors, 'name', 'must be a string');
    else if (sent.length > LENGTH_MAX)
      addError(errors, 'name', `is too long (maximum is ${LENGTH_MAX} characters)`);
    else draft.profile = { ...profile, name: sent };
    return;
  }
  const parts = (type?.profileTypeNamings ?? []).flatMap(
    ({ neAttributeId }) => texts.get(neAttributeId)?.trim() || [],
  );
  // The cut must not leave the first half of a surrogate pair.
  const name = parts
    .join(' ')
    .slice(0, LENGTH_MAX)
    .replace(/[\ud800-\udbff]$/, '');
  if (name !== '') draft.profile = { ...profile, name };
  else if (errors['profile_type_id'] === undefined) addError(errors, 'name', BLANK);
}

export function isBlank(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  );
}
