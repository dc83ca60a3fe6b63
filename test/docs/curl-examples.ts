// The curl commands of a page, as data, so that they can be put to a service on any machine. A command stands in a block
// ```sh and begins with `curl -s`; lines that begin with `# ` behind it claim what its answer holds.
// Invariant: a part of a command that is not understood is an error, so no command goes untested.

export interface CurlExample {
  readonly method: string;
  readonly path: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** `1,234 in all`, or a text that stands in the answer. */
  readonly claims: readonly string[];
}

/** All commands of a page, in order. */
export function curlExamplesOf(page: string): readonly CurlExample[] {
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^(?=curl )/m)
      .filter((text) => text.startsWith('curl '))
      .map(exampleOf),
  );
}

function exampleOf(text: string): CurlExample {
  const claims = [...text.matchAll(/^# (.*)$/gm)].map(([, claim = '']) => claim);
  let rest = text
    .replaceAll(/^# .*$/gm, '')
    .replaceAll('\\\n', ' ')
    .trim();
  const headers: Record<string, string> = {};
  let [method, path, body]: (string | undefined)[] = [];
  const take = (pattern: RegExp): string | undefined => {
    const match = pattern.exec(rest);
    if (match === null) return undefined;
    rest = rest.slice(match[0].length).trimStart();
    return match[2] ?? match[1] ?? '';
  };
  if (take(/^curl -s(?= )/) === undefined) throw new Error(`${text}: must begin with curl -s`);
  while (rest !== '') {
    const before = rest;
    method = take(/^-X (\w+)/) ?? method;
    path = take(/^"\$URL(\/[^"]*)"/) ?? path;
    body = take(/^-d '([^']*)'/s) ?? body;
    const parameter = take(/^-d (\w+=(?:"[^"]*"|[\w.-]+))/)?.replaceAll('"', '');
    if (parameter !== undefined) {
      body = body === undefined ? parameter : `${body}&${parameter}`;
      headers['content-type'] = 'application/x-www-form-urlencoded';
    }
    const [name, value] = take(/^-H (["'])(.*?)\1/)?.split(': ') ?? [];
    if (name !== undefined && value !== undefined) headers[name.toLowerCase()] = value;
    take(/^> [\w.]+/);
    if (rest === before) throw new Error(`${rest}: is not understood`);
  }
  if (path === undefined) throw new Error(`${text}: asks for nothing`);
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), path, headers, body, claims };
}
