// Answers of the public API that are no success, and the warnings of those that are: the formats of
// errors (contract: auth-users.md section 1) and of `Warning` headers.
// Invariant: a body is read up to a limit.

/** The service refused a request; the message has its reasons, or the status alone. */
export class ServiceRefusal extends Error {
  readonly status: number;
  readonly path: string;
  /** Of Retry-After; null without one. */
  readonly retryAfterSeconds: number | null;
  /** The summary of the error; null if the body is in no known format. */
  readonly summary: string | null;
  /** Its causes, one for each fault of the request. */
  readonly causes: readonly string[];

  constructor(
    answer: Pick<ServiceRefusal, 'status' | 'path' | 'retryAfterSeconds' | 'summary' | 'causes'>,
  ) {
    const { status, summary, causes } = answer;
    const reasons = causes.length > 0 ? causes : summary === null ? [] : [summary];
    super(reasons.length > 0 ? reasons.join('\n') : `The server answered ${status}.`);
    this.status = status;
    this.path = answer.path;
    this.retryAfterSeconds = answer.retryAfterSeconds;
    this.summary = summary;
    this.causes = causes;
  }
}

/** A body is longer than a reader accepts. */
export class BodyTooLarge extends Error {
  constructor(bytesMax: number) {
    super(`the body has more than ${bytesMax} bytes`);
  }
}

/** Far more than any error or token needs. */
const BYTES_MAX = 1024 * 1024;

/** Reads a body as UTF-8. @throws BodyTooLarge */
export async function boundedText(response: Response, bytesMax = BYTES_MAX): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) throw new BodyTooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads what an answer without success says. */
export async function refusalOf(response: Response, path: string): Promise<ServiceRefusal> {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const text = await boundedText(response).catch((error: unknown) => {
    if (error instanceof BodyTooLarge) return '';
    throw error;
  });
  return new ServiceRefusal({
    ...{ status: response.status, path: path.split('?', 1)[0] ?? path },
    ...{ retryAfterSeconds: Number.isFinite(seconds) ? seconds : null, ...reasonsIn(text) },
  });
}

interface ErrorBody {
  readonly error_description?: unknown;
  readonly messages?: unknown;
  readonly causes?: unknown;
}

/** The reasons in an error of the API, or of its token endpoint (RFC 6749 section 5.2). */
function reasonsIn(text: string): Pick<ServiceRefusal, 'summary' | 'causes'> {
  let body: ErrorBody | null;
  try {
    body = JSON.parse(text) as ErrorBody | null;
  } catch {
    return { summary: null, causes: [] };
  }
  const [message] = textsOf(body?.messages);
  const description = body?.error_description;
  const summary = message ?? (typeof description === 'string' ? description : null);
  return { summary, causes: textsOf(body?.causes) };
}

function textsOf(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: { text?: unknown } | null) =>
    typeof item?.text === 'string' ? [item.text] : [],
  );
}

/** The texts of the header `Warning` (RFC 7234 section 5.5): `299 - "text", …`. */
export function warningTexts(header: string | null): readonly string[] {
  const quoted = (header ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...quoted].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}
