// Calls about views, and who is restricted to one.
import { type AccessToken, listTokens } from '../admin-api.ts';
import { type ListedUser, listAuthUsers } from '../auth-users-api.ts';
import { call, callJson } from '../client.ts';
import { type ApiClient, listClients } from '../clients-api.ts';
import { mayUser } from '../rights.ts';
import { session } from '../session.ts';
import type { View, ViewDefinition } from './view.ts';

/** Who is restricted to a view. */
export interface ViewHolders {
  /** The first auth users by name. */
  readonly users: readonly ListedUser[];
  readonly userCount: number;
  /** null: the session may not list them. */
  readonly tokens: readonly AccessToken[] | null;
  readonly clients: readonly ApiClient[] | null;
}

const VIEWS = 'admin/v1/views';
const USERS_SHOWN = 20;
const pathOf = (name: string) => `${VIEWS}/${encodeURIComponent(name)}`;

/** The views of the tenant, by name. @throws ApiFault */
export function listViews(signal: AbortSignal): Promise<View[]> {
  return callJson(VIEWS, { signal });
}

/** @throws ApiFault */
export function readView(name: string, signal: AbortSignal): Promise<View> {
  return callJson(pathOf(name), { signal });
}

/** @throws ApiFault `refused` with the members that are wrong */
export function createView(view: ViewDefinition): Promise<View> {
  return callJson(VIEWS, { method: 'POST', body: view });
}

/** Replaces a view. @throws ApiFault */
export function replaceView(view: ViewDefinition): Promise<View> {
  return callJson(pathOf(view.name), { method: 'PUT', body: view });
}

/** @throws ApiFault */
export async function deleteView(name: string): Promise<void> {
  await call(pathOf(name), { method: 'DELETE' });
}

/** @throws ApiFault */
export async function viewHolders(name: string, signal: AbortSignal): Promise<ViewHolders> {
  const quoted = `"${name.replace(/["\\]/g, String.raw`\$&`)}"`;
  const query = { filters: `view eq ${quoted}`, sorters: 'name' };
  const [{ users, total }, tokens, clients] = await Promise.all([
    listAuthUsers(query, { limit: USERS_SHOWN, offset: 0 }, signal),
    mayUser(session.get(), 'pat:all:read') ? listTokens('all', signal) : null,
    mayUser(session.get(), 'oauth-client:manage') ? listClients(signal) : null,
  ]);
  const isHeld = (holder: { readonly view?: string }) => holder.view === name;
  return {
    users,
    userCount: total,
    tokens: tokens?.filter(isHeld) ?? null,
    clients: clients?.filter(isHeld) ?? null,
  };
}
