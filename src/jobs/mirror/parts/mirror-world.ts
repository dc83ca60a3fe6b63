// What the parts of a mirror run share: the local tenant, the remote one, the clock and the choices
// of the operator.

import type { TokenPolicy } from '../../../auth/confinement.ts';
import type { IndexName } from '../../../query/query.ts';
import type { ImportPages } from '../../../service/documents/import-pages.ts';
import type { MirrorWalk } from '../../../service/ports/mirror-records.ts';
import type { Store } from '../../../service/ports/store.ts';
import type { RemoteProfiles, RemoteTenant } from '../remote/remote-tenant.ts';

/** The documents, auth users and profiles of the local tenant; service/imports/documents.ts. */
export interface LocalPages {
  documentPages(tenantId: string, index: IndexName): Promise<ImportPages<unknown>>;
  authUserPages(tenantId: string): Promise<ImportPages<unknown>>;
  profilePages(tenantId: string): ImportPages<unknown>;
  /** The stored form of a document as a remote tenant returned it, as UTF-8 JSON. */
  documentForm(tenantId: string, index: IndexName): Promise<(text: Uint8Array) => Uint8Array>;
}

/** Receives the progress of a run. */
export interface MirrorWatch {
  /** A walk has begun or advanced. */
  walked(part: string, walk: MirrorWalk): void;
}

export interface MirrorChoices {
  /** `all`, `none`, or the ids to mirror. */
  readonly authUsers: 'all' | 'none' | readonly string[];
  /** Copies everything again, also documents whose modification time did not change. */
  readonly full: boolean;
  /** Increments start this long before the youngest change of the last walk. */
  readonly overlapMs: number;
  /** A part is swept for deletions again after this long; 0: in each run. */
  readonly sweepEveryMs: number;
  /** Lets a sweep delete more than half of a part. */
  readonly allowShrinking: boolean;
}

export interface MirrorWorld {
  readonly store: Store;
  readonly local: LocalPages;
  readonly tenantId: string;
  /** What becomes of the API keys of an auth user who is deleted. */
  readonly policy: TokenPolicy;
  readonly remote: RemoteTenant;
  /** null: profile management is not mirrored. */
  readonly profiles: RemoteProfiles | null;
  readonly choices: MirrorChoices;
  readonly clock: { now(): number };
  readonly watch: MirrorWatch;
  /** Aborts when the run is to stop. */
  readonly signal: AbortSignal;
}
