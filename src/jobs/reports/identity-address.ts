// The e-mail address of an identity: that of its document, otherwise of its auth user.
import type { Records } from '../../service/ports/store.ts';

/** One address, without a display name or a list. */
const ADDRESS = /^[^\s@,;:<>()"\\]+@[^\s@,;:<>()"\\]+$/;

/** @returns null if the identity has none */
export async function identityAddress(
  records: Pick<Records, 'document' | 'authUser'>,
  tenantId: string,
  id: string,
): Promise<string | null> {
  const document = await records.document(tenantId, 'identities', id);
  const members = document === null ? {} : JSON.parse(new TextDecoder().decode(document.root));
  const { email } = members as { email?: unknown };
  const candidates = [email, (await records.authUser(tenantId, id))?.email];
  for (const candidate of candidates) {
    if (typeof candidate === 'string' && ADDRESS.test(candidate.trim())) return candidate.trim();
  }
  return null;
}
