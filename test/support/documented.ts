// Answers of a served tenant held to docs/openapi.yaml as they come, so that every test over HTTP is a test of it.
import { assertDocumented } from './openapi.ts';

/** Longer bodies are many rows of one shape, and would take long. */
const MOST_CHARACTERS = 500_000;

/**
 * The answer, still unread, when it is one that docs/openapi.yaml allows.
 * @throws AssertionError saying what is not as documented
 */
export async function documented(
  method: string,
  path: string,
  answer: Response,
): Promise<Response> {
  const body = await answer.clone().text();
  if (body.length <= MOST_CHARACTERS) {
    const headers = Object.fromEntries(answer.headers);
    assertDocumented({ method, url: path, status: answer.status, headers, body });
  }
  return answer;
}
