// A store whose signing keys lie in the database with their private half sealed. Whoever uses it
// sees them open; the public half is never sealed, so that tokens can be checked whatever becomes
// of the secrets key.
// Invariant: what this process writes is sealed with the current key; a key that cannot be opened
// comes without its private half.
import { ServiceError } from '../../errors.ts';
import { changeAttributes } from '../../identity/audit/audit-event.ts';
import { recordOperatorChange } from '../../identity/audit/operator-event.ts';
import { ForwardingStore } from '../../identity/ports/forwarding-store.ts';
import type { Records, SigningKey, Store, WritableRecords } from '../../identity/ports/store.ts';
import { openSecret, sealedWith, sealSecret, secretsKeyId } from './secret-box.ts';
import type { SecretsKeys } from './secrets-key.ts';

/** Seals what goes into a store and opens what comes out. */
export class SealedStore extends ForwardingStore {
  readonly #keys: SecretsKeys | null;

  /** @param keys null: nothing is sealed, and what is sealed cannot be opened */
  constructor(store: Store, keys: SecretsKeys | null) {
    super(store, { ...store.read, signingKeys: () => this.#opened(store.read) });
    this.#keys = keys;
  }

  override write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T> {
    return this.inner.write((records) =>
      work({
        ...records,
        signingKeys: () => this.#opened(records),
        addSigningKey: (key) => records.addSigningKey(this.#sealed(key)),
      }),
    );
  }

  /**
   * Seals private halves that lie open in the database, as those of earlier versions. @returns how
   * many
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
   * Seals all private halves anew, with an event in the trail of each tenant.
   * @throws ServiceError `unavailable` where one of them cannot be opened; nothing is changed then
   */
  async sealAnew(next: Uint8Array): Promise<number> {
    return this.inner.write(async (records) => {
      const stored = await records.signingKeys();
      const before = [...new Set(stored.map(sealingKeyOf))];
      for (const key of stored) {
        const opened = this.#open(key);
        if (isPlain(opened)) await replace(records, seal(opened, next));
        else throw sealedByAnother(key, this.#keys);
      }
      const after = secretsKeyId(next);
      await recordOperatorChange(records, {
        created: new Date().toISOString(),
        object: 'SECRETS_KEY',
        operation: 'ROTATE',
        action: 'ResealKeys',
        type: 'AUTH',
        target: after,
        attributes: {
          signingKeys: stored.length,
          ...changeAttributes({ secretsKey: before }, { secretsKey: [after] }),
        },
      });
      return stored.length;
    });
  }

  /** @throws ServiceError `unavailable` where the key that signs cannot be opened */
  async checkSigningKey(): Promise<void> {
    const active = (await this.inner.read.signingKeys()).find((key) => key.active);
    if (active !== undefined && !isPlain(this.#open(active))) {
      throw sealedByAnother(active, this.#keys);
    }
  }

  async #opened(records: Records): Promise<readonly SigningKey[]> {
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

/** The id of the secrets key that a key is sealed with; `none` where it lies open. */
function sealingKeyOf({ jwk }: SigningKey): string {
  return sealedWith(String(jwk['sealed'])) ?? 'none';
}

function seal(key: SigningKey, secretsKey: Uint8Array): SigningKey {
  const { d, ...jwk } = key.jwk;
  return { ...key, jwk: { ...jwk, sealed: sealSecret(String(d), ownerOf(key), secretsKey) } };
}

/** A row that is deleted and added within one transaction is seen by nobody as missing. */
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
    `The signing key in the store is sealed with the secrets key ${sealingKeyOf(key)}, and ${given(keys)}. Provide that key by CARDEA_SECRETS_KEY or CARDEA_SECRETS_KEY_FILE; where it is lost, cardea keys rotate signs with a new key from then on, and no token in use is refused.`,
  );
}

function given(keys: SecretsKeys | null): string {
  if (keys === null) return 'none is set';
  const { source } = keys;
  if (source.kind === 'text') return `CARDEA_SECRETS_KEY is ${secretsKeyId(keys.current())}`;
  return `${source.path} does not hold it`;
}
