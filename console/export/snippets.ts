// A search as code: a curl command, a call of the published clients, or the request body. No
// snippet has a token or a secret.
import type { SearchBody } from '../model/wire.ts';

export type SnippetKind = 'curl' | 'typescript' | 'python' | 'body';

export const SNIPPET_LABELS: Readonly<Record<SnippetKind, string>> = {
  curl: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
  body: 'Raw body',
};

/** @param service address of the service, with a trailing slash */
export function snippet(kind: SnippetKind, body: SearchBody, service: string): string {
  switch (kind) {
    case 'curl':
      return curl(body, `${service}v2024/search?limit=250&count=true`);
    case 'typescript':
      return typescript(body);
    case 'python':
      return python(body);
    case 'body':
      return JSON.stringify(body, null, 2);
  }
}

/** A curl command that prints rows as CSV. @param service as of `snippet` */
export function rowsSnippet(body: SearchBody, service: string): string {
  return curl(body, `${service}v2024/search/rows?format=csv`);
}

function curl(body: SearchBody, address: string): string {
  const quoted = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return [
    `curl -s '${address}' \\`,
    `  -H "Authorization: Bearer $TOKEN" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${quoted}'`,
  ].join('\n');
}

function typescript(body: SearchBody): string {
  return `import { Configuration, type Search, SearchApi } from 'sailpoint-api-client';

// Reads SAIL_BASE_URL, SAIL_CLIENT_ID and SAIL_CLIENT_SECRET.
const api = new SearchApi(new Configuration());
const search: Search = ${JSON.stringify(body, null, 2)};
const { data, headers } = await api.searchPost({ search, limit: 250, count: true });
console.log(headers['x-total-count'], data);
`;
}

/** JSON never has three quotes in a row, so it cannot end the raw string. */
function python(body: SearchBody): string {
  return `import json
import sailpoint.search as search
from sailpoint.configuration import Configuration

# Reads SAIL_BASE_URL, SAIL_CLIENT_ID and SAIL_CLIENT_SECRET.
api = search.SearchApi(search.ApiClient(Configuration()))
body = search.Search.from_dict(json.loads(r"""
${JSON.stringify(body, null, 2)}
"""))
response = api.search_post_v1_with_http_info(body, limit=250, count=True)
print(response.headers["X-Total-Count"], json.loads(response.raw_data))
`;
}
