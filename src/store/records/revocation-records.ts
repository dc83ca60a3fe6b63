// Access tokens that end before their expiry: revoked token ids, and the state of the person of a
// token, who need not be an auth user.
// Invariant: an identity has one state: a row of `auth_user` or of `absent_user`, never both.
// Invariant: a row of `revoked_token` is only deleted once no token of that id can be valid, by the
// clock of any node (purge-records.ts).

import type {
  AbsentUser,
  TokenState,
  UserStatus,
  WritableRecords,
} from '../../service/ports/store.ts';
import { deleteByKey, selectByKey, upsertOf } from '../sql/keyed-rows.ts';
import type { AbsentUserTable } from '../sql/schema.ts';
import { type Executor, hasNul, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';

export type RevocationRecords = Pick<
  WritableRecords,
  | 'userStatus'
  | 'isRevoked'
  | 'personStatus'
  | 'setTokenState'
  | 'putAbsentUser'
  | 'deleteAuthUser'
  | 'revokeToken'
>;

export function revocationRecords(executor: Executor): RevocationRecords {
  return {
    async userStatus(tenantId, id) {
      const row = await executor.get(STANDING, { tenantId, id });
      return row === undefined ? null : userStatus(row, id);
    },
    async personStatus(tenantId, id) {
      const row = await executor.get(STANDING_OF_ANYONE, { tenantId, id });
      if (row === undefined) return null;
      return row.deleted === null
        ? userStatus(row, id)
        : { ...tokenState(row), deleted: row.deleted === 1 };
    },
    async isRevoked(tenantId, tokenId, family) {
      // A token of another issuer may have any text as its id; no stored id has a NUL.
      if (hasNul(tokenId)) return false;
      const row = await executor.get(REVOKED, { tenantId, tokenId, family: family ?? tokenId });
      return row !== undefined;
    },
    setTokenState: (tenantId, id, state) => setTokenState(executor, tenantId, id, state),
    putAbsentUser: (tenantId, id, state) => putAbsentUser(executor, tenantId, id, state),
    async deleteAuthUser(tenantId, id, state) {
      await executor.run(DELETE_TOKENS, { tenantId, id });
      await executor.run(DELETE_HOLDERS, { tenantId, id });
      if ((await executor.run(DELETE_USER, { tenantId, id })) === 0) return false;
      await putAbsentUser(executor, tenantId, id, { ...state, deleted: true });
      return true;
    },
    async revokeToken(tenantId, { id, expires }) {
      await executor.run(INSERT_REVOKED, { tenantId, id, expires });
    },
  };
}

type TokenStateRow = Pick<AbsentUserTable, 'enabled' | 'tokens_valid_from'>;

function tokenState({ enabled, tokens_valid_from: tokensValidFrom }: TokenStateRow): TokenState {
  return { enabled: enabled === 1, tokensValidFrom };
}

function userStatus(
  row: TokenStateRow & { readonly capabilities: string; readonly view_name: string | null },
  id: string,
): UserStatus {
  const capabilities = storedJson(row.capabilities, 'auth user', id);
  return { ...tokenState(row), capabilities, view: row.view_name };
}

/** Gives an auth user who was just created the state that it had before. */
export async function adoptTokenState(
  executor: Executor,
  tenantId: string,
  id: string,
): Promise<void> {
  const absent = await executor.get(ABSENT_USER, { tenantId, id });
  if (absent === undefined) return;
  await setTokenState(executor, tenantId, id, tokenState(absent));
  await executor.run(DELETE_ABSENT_USER, { tenantId, id });
}

async function setTokenState(
  executor: Executor,
  tenantId: string,
  id: string,
  { enabled, tokensValidFrom }: TokenState,
): Promise<void> {
  await executor.run(SET_TOKEN_STATE, { tenantId, id, enabled: Number(enabled), tokensValidFrom });
}

async function putAbsentUser(
  executor: Executor,
  tenantId: string,
  id: string,
  { enabled, tokensValidFrom, deleted }: AbsentUser,
): Promise<void> {
  const flags = { enabled: Number(enabled), deleted: Number(deleted) };
  await executor.run(UPSERT_ABSENT_USER, { tenantId, id, tokensValidFrom, ...flags });
}

type UserKey = { tenantId: string; id: string };

const STANDING = statement((p: UserKey) =>
  tables
    .selectFrom('auth_user')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const REVOKED = statement((p: { tenantId: string; tokenId: string; family: string }) =>
  tables
    .selectFrom('revoked_token')
    .select('id')
    .where('tenant_id', '=', p.tenantId)
    .where('id', 'in', [p.tokenId, p.family]),
);

/** One statement, so that a person who becomes an auth user, or ceases to be one, is never missed. */
const STANDING_OF_ANYONE = statement((p: UserKey) =>
  tables
    .selectFrom('auth_user')
    .select((row) => [
      ...(['enabled', 'tokens_valid_from', 'capabilities', 'view_name'] as const),
      row.val<number | null>(null).as('deleted'),
    ])
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id)
    .unionAll(
      tables
        .selectFrom('absent_user')
        .select((row) => [
          ...(['enabled', 'tokens_valid_from'] as const),
          row.val('[]').as('capabilities'),
          row.val<string | null>(null).as('view_name'),
          'deleted',
        ])
        .where('tenant_id', '=', p.tenantId)
        .where('id', '=', p.id),
    ),
);

type StateParameters = UserKey & { enabled: number; tokensValidFrom: number };

const SET_TOKEN_STATE = statement((p: StateParameters) =>
  tables
    .updateTable('auth_user')
    .set({ enabled: p.enabled, tokens_valid_from: p.tokensValidFrom })
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const ABSENT_USER = selectByKey('absent_user');

const DELETE_ABSENT_USER = deleteByKey('absent_user');

const UPSERT_ABSENT_USER = upsertOf(
  'absent_user',
  ['tenant_id', 'id'],
  ['enabled', 'tokens_valid_from', 'deleted'],
);

const DELETE_TOKENS = statement((p: UserKey) =>
  tables
    .deleteFrom('credential')
    .where('tenant_id', '=', p.tenantId)
    .where('owner_id', '=', p.id)
    .where('kind', '=', 'pat'),
);

const DELETE_HOLDERS = statement((p: UserKey) =>
  tables
    .deleteFrom('capability_holder')
    .where('tenant_id', '=', p.tenantId)
    .where('auth_user_id', '=', p.id),
);

const DELETE_USER = deleteByKey('auth_user');

const INSERT_REVOKED = upsertOf('revoked_token', ['tenant_id', 'id'], ['expires']);
