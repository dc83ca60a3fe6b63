// What the store keeps of views: the parts of a tenant that credentials are restricted to.
import type { ViewRules } from '../../auth/caller.ts';

export interface View extends ViewRules {
  /** Empty for none. */
  readonly description: string;
  /** ISO 8601, as `modified`. */
  readonly created: string;
  readonly modified: string;
}

export interface ViewRecords {
  view(tenantId: string, name: string): Promise<View | null>;
  /** By name, in code point order. */
  views(tenantId: string): Promise<readonly View[]>;
}

export interface WritableViewRecords extends ViewRecords {
  putView(tenantId: string, view: View): Promise<void>;
  /** @returns whether it existed */
  deleteView(tenantId: string, name: string): Promise<boolean>;
  /** Restricts an auth user to a view; null: no longer. */
  setUserView(tenantId: string, id: string, name: string | null): Promise<void>;
}
