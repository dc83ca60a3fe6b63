// An auth user as the store keeps it, and the state that its tokens depend on.

/** The stored auth user; the wire shape is contract/auth-users.md section 2. */
export interface AuthUser {
  readonly tenant: string;
  readonly id: string;
  readonly uid: string;
  readonly profile: string;
  readonly identificationNumber: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly workPhone: string | null;
  readonly personalEmail: string | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly displayName: string;
  readonly alias: string;
  readonly lastPasswordChangeDate: string | null;
  readonly lastLoginTimestamp: number;
  readonly currentLoginTimestamp: number;
  readonly lastUnlockTimestamp: string | null;
  readonly capabilities: readonly string[];
}

/** The members that an import can set, in wire order after `tenant`, and their kinds. */
export const AUTH_USER_MEMBERS = {
  ...({ id: 'text', uid: 'text', profile: 'text', identificationNumber: 'text' } as const),
  ...({ email: 'text', phone: 'text', workPhone: 'text', personalEmail: 'text' } as const),
  ...({ firstname: 'text', lastname: 'text', displayName: 'text', alias: 'text' } as const),
  ...({ lastPasswordChangeDate: 'date', lastLoginTimestamp: 'number' } as const),
  ...({ currentLoginTimestamp: 'number', lastUnlockTimestamp: 'date' } as const),
  capabilities: 'list',
} as const satisfies Readonly<Record<Exclude<keyof AuthUser, 'tenant'>, string>>;

/** The state of a person that its tokens depend on, whether or not it is an auth user here. */
export interface TokenState {
  /** A disabled person gets no tokens, and existing ones are rejected. */
  readonly enabled: boolean;
  /**
   * Epoch seconds: access tokens issued earlier are rejected; 0 when the person was never signed
   * out.
   */
  readonly tokensValidFrom: number;
}

/** The state of an identity that is no auth user, but for which another issuer may sign tokens. */
export interface AbsentUser extends TokenState {
  /** It was an auth user before. */
  readonly deleted: boolean;
}

/**
 * The state of an auth user that its tokens depend on; importing the user again keeps all members
 * but the first.
 */
export interface UserStatus extends TokenState {
  readonly capabilities: readonly string[];
  /** The view that all its tokens are restricted to; null: none. */
  readonly view: string | null;
}
