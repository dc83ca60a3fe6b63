// The objects of the catalogue of access: sources, entitlements, apps, access profiles and roles.
import type { Reference } from './person.ts';

export interface Source {
  readonly number: number;
  readonly reference: Reference;
  readonly type: string;
}

export interface Entitlement {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly source: Source;
  readonly attribute: string;
  readonly value: string;
  readonly schema: string;
  readonly privileged: boolean;
  readonly segments: readonly Reference[];
  readonly tags: readonly string[];
}

export interface App {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly source: Source;
  readonly owner: number;
}

export interface Bundle {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly requestable: boolean;
  readonly commentsRequired: boolean;
  /** Number of the owner's identity. */
  readonly owner: number;
  readonly entitlements: readonly Entitlement[];
  readonly segments: readonly Reference[];
  readonly tags: readonly string[];
}

export interface AccessProfile extends Bundle {
  readonly source: Source;
  readonly app: App | null;
}

export interface Role extends Bundle {
  readonly accessProfiles: readonly AccessProfile[];
}
