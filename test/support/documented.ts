// Checks responses of a running service against docs/openapi.yaml, so that every test over HTTP
// tests it.
import { assertDocumented } from './openapi.ts';

/** Longer bodies are many rows of one shape, and slow to check. */
const CHARACTERS_MAX = 500_000;

/**
 * Returns the response, unread, if docs/openapi.yaml allows it.
 * @throws AssertionError with the difference
 */
export async function documented(
  method: string,
  path: string,
  answer: Response,
): Promise<Response> {
  const body = await answer.clone().text();
  if (body.length <= CHARACTERS_MAX) {
    const headers = Object.fromEntries(answer.headers);
    assertDocumented({ method, url: path, status: answer.status, headers, body });
  }
  return answer;
}
