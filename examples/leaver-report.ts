// An integration to be tested: people who have left and still have an open account. It uses the
// official client and knows nothing of Cardea.
import { type Configuration, SearchV2024Api } from 'sailpoint-api-client';

export interface Leaver {
  readonly id: string;
  readonly name: string;
  /** Sources of the open accounts. */
  readonly openAccounts: readonly string[];
}

interface Identity {
  readonly id: string;
  readonly name: string;
  readonly accounts: readonly { readonly disabled: boolean; readonly source: { name: string } }[];
}

const PAGE = 250;
const ATTEMPTS = 5;

/** Reads all leavers, page by page. */
export async function leaverReport(configuration: Configuration): Promise<Leaver[]> {
  const api = new SearchV2024Api(configuration);
  const leavers: Leaver[] = [];
  for (;;) {
    const last = leavers.at(-1);
    const page = await patiently(() =>
      api.searchPost({
        limit: PAGE,
        searchV2024: {
          indices: ['identities'],
          query: { query: 'inactive:true AND @accounts(disabled:false)' },
          sort: ['id'],
          ...(last !== undefined && { searchAfter: [last.id] }),
        },
      }),
    );
    leavers.push(...(page.data as unknown as Identity[]).map(leaverOf));
    if (page.data.length < PAGE) return leavers;
  }
}

function leaverOf({ id, name, accounts }: Identity): Leaver {
  const open = accounts.filter(({ disabled }) => !disabled);
  return { id, name, openAccounts: open.map(({ source }) => source.name) };
}

/** Repeats a call that was refused because of the rate limit, after the time it asks for. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const { response } = error as {
        response?: { status: number; headers: Record<string, string> };
      };
      if (response?.status !== 429 || attempt === ATTEMPTS) throw error;
      const seconds = Number(response.headers['retry-after'] ?? 1);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}
