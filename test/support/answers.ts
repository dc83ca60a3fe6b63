// What the service answered, for tests over HTTP.
import assert from 'node:assert/strict';

// biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
export type Json = any;

/** The body of an answer, which must have a status; null without a body. */
export async function json(answer: Promise<Response>, status = 200): Promise<Json> {
  const response = await answer;
  const text = await response.text();
  assert.equal(response.status, status, text);
  return text === '' ? null : JSON.parse(text);
}

/** The status, the code and the first cause of a refusal: `400 400.1.4: at most 100`. */
export async function cause(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  const fault = (await response.json()) as Json;
  return `${response.status} ${fault.detailCode}: ${fault.causes[0]?.text}`;
}
