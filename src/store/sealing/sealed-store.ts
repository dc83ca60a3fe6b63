// A store whose signing keys are in the database with their private half sealed; callers see them
// open. The public half is never sealed, so tokens can be checked even if the secrets key is lost.
// Invariant: this process writes keys sealed with the current secrets key; a key that cannot be
// opened is returned without its private half.
import { ServiceError } from '../../errors.ts';
import { changeAttributes } from '../../service/audit/audit-event.ts';
import { recordOperatorChange } from '../../service/audit/operator-event.ts';
import { ForwardingStore, withRecords } from '../../service/ports/forwarding-store.ts';
import type { Records, SigningKey, Store, WritableRecords } from '../../service/ports/store.ts';
import { openSecret, sealedWith, sealSecret, secretsKeyId } from './secret-box.ts';
import type { SecretsKeys } from './secrets-key.ts';

/** Seals keys that are written to a store and opens those that are read. */
export class SealedStore extends ForwardingStore {
  readonly #keys: SecretsKeys | null;

  /** @param keys null: keys are not sealed, and sealed ones cannot be opened */
  constructor(store: Store, keys: SecretsKeys | null) {
    super(store, {
      read: withRecords(store.read, { signingKeys: () => this.#openedKeys(store.read) }),
      write: (work) =>
        store.write((records) =>
          work(
            withRecords(records, {
              signingKeys: () => this.#openedKeys(records),
              addSigningKey: (key) => records.addSigningKey(this.#sealed(key)),
            }),
          ),
        ),
    });
    this.#keys = keys;
  }

  /**
   * Seals private halves that are plain in the database, as in earlier versions. @returns how many
   */
  async sealPlain(): Promise<number> {
    const keys = this.#keys;
    if (keys === null || !(await this.inner.read.signingKeys()).some(isPlain)) return 0;
    return this.inner.write(async (records) => {
      const plain = (await records.signingKeys()).filter(isPlain);
      for (const key of plain) await replace(records, seal(key, keys.current()));
      return plain.length;
    });
  }

  /**
   * Seals all private halves with a new key, with an event in the trail of each tenant.
   * @throws ServiceError `unavailable` if one of them cannot be opened; nothing is changed then
   */
  async reseal(next: Uint8Array): Promise<number> {
    return this.inner.write(async (records) => {
      const stored = await records.signingKeys();
      const before = [...new Set(stored.map(sealingKeyOf))];
      for (const key of stored) {
        const opened = this.#open(key);
        if (isPlain(opened)) await replace(records, seal(opened, next));
        else throw sealedByAnother(key, this.#keys);
      }
      const after = secretsKeyId(next);
      await recordOperatorChange(records, Date.now(), {
        act: 'SECRETS_KEY_ROTATE',
        target: after,
        attributes: {
          signingKeys: stored.length,
          ...changeAttributes({ secretsKey: before }, { secretsKey: [after] }),
        },
      });
      return stored.length;
    });
  }

  /** @throws ServiceError `unavailable` if the key that signs cannot be opened */
  async checkSigningKey(): Promise<void> {
    const active = (await this.inner.read.signingKeys()).find((key) => key.active);
    if (active !== undefined && !isPlain(this.#open(active))) {
      throw sealedByAnother(active, this.#keys);
    }
  }

  async #openedKeys(records: Records): Promise<readonly SigningKey[]> {
    return (await records.signingKeys()).map((key) => this.#open(key));
  }

  #open(key: SigningKey): SigningKey {
    const { sealed, ...jwk } = key.jwk;
    if (typeof sealed !== 'string') return key;
    const secretsKey = this.#keys?.find(sealedWith(sealed) ?? '') ?? null;
    const d = secretsKey === null ? null : openSecret(sealed, ownerOf(key), secretsKey);
    return { ...key, jwk: d === null ? jwk : { ...jwk, d } };
  }

  #sealed(key: SigningKey): SigningKey {
    return this.#keys === null || !isPlain(key) ? key : seal(key, this.#keys.current());
  }
}

function isPlain({ jwk }: SigningKey): boolean {
  return typeof jwk['d'] === 'string';
}

/** The id of the secrets key that a key is sealed with; `none` if it is plain. */
function sealingKeyOf({ jwk }: SigningKey): string {
  return sealedWith(String(jwk['sealed'])) ?? 'none';
}

function seal(key: SigningKey, secretsKey: Uint8Array): SigningKey {
  const { d, ...jwk } = key.jwk;
  return { ...key, jwk: { ...jwk, sealed: sealSecret(String(d), ownerOf(key), secretsKey) } };
}

/** Deletes and adds a row in one transaction, so that no reader sees it missing. */
async function replace(records: WritableRecords, key: SigningKey): Promise<void> {
  await records.deleteSigningKey(key.kid);
  await records.addSigningKey(key);
}

function ownerOf({ kid }: SigningKey): string {
  return `signing key ${kid}`;
}

function sealedByAnother(key: SigningKey, keys: SecretsKeys | null): ServiceError {
  return new ServiceError(
    'unavailable',
    `The signing key in the store is sealed with the secrets key ${sealingKeyOf(key)}, and ${presentKey(keys)}. Provide that key by CARDEA_SECRETS_KEY or CARDEA_SECRETS_KEY_FILE; where it is lost, cardea keys rotate signs with a new key from then on, and no token in use is refused.`,
  );
}

function presentKey(keys: SecretsKeys | null): string {
  if (keys === null) return 'none is set';
  const { source } = keys;
  if (source.kind === 'text') return `CARDEA_SECRETS_KEY is ${secretsKeyId(keys.current())}`;
  return `${source.path} does not hold it`;
}
