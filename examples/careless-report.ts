// The same report with three mistakes that no test of its rows would notice: a token for every page,
// pages that lose people with equal names, and no pause when the service asks for one.
import { Configuration, SearchV2024Api } from 'sailpoint-api-client';

export interface Access {
  readonly baseurl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** @returns the names of all leavers */
export async function carelessReport(access: Access, pageSize: number): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const configuration = new Configuration({
      ...access,
      tokenUrl: `${access.baseurl}/oauth/token`,
    });
    const last = names.at(-1);
    const search = () =>
      new SearchV2024Api(configuration).searchPost({
        limit: pageSize,
        searchV2024: {
          indices: ['identities'],
          query: { query: 'inactive:true' },
          sort: ['name'],
          ...(last !== undefined && { searchAfter: [last] }),
        },
      });
    const page = await search().catch(search);
    names.push(...page.data.map((identity) => (identity as unknown as { name: string }).name));
    if (page.data.length < pageSize) return names;
  }
}
