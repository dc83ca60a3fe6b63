// The meaning of status words: which are good, which need attention, which are failures. The words
// are those of the documents of Identity Security Cloud; unknown words have no colour.

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain';

const WORDS: Readonly<Record<Exclude<Tone, 'plain'>, readonly string[]>> = {
  good: [
    ...['active', 'enabled', 'passed', 'success', 'succeeded', 'complete', 'completed', 'approved'],
    ...['committed', 'finished', 'verified', 'ready', 'open', 'employed'],
  ],
  warn: [
    ...['disabled', 'inactive', 'locked', 'leave', 'onleave', 'suspended', 'expired', 'incomplete'],
    ...['warning', 'cancelled', 'canceled', 'onhold', 'notice', 'shortterminactive', 'archived'],
    'inactiveshortterm',
  ],
  bad: [
    ...['failed', 'failure', 'error', 'terminated', 'rejected', 'denied', 'refused', 'deleted'],
    ...['longterminactive', 'inactivelongterm', 'left', 'blocked', 'fail'],
  ],
  info: [
    ...['pending', 'prehire', 'executing', 'running', 'started', 'new', 'provisioning', 'queued'],
    ...['initiated', 'inprogress', 'upcoming', 'conversion'],
  ],
};

const TONES = new Map<string, Tone>(
  Object.entries(WORDS).flatMap(([tone, words]) =>
    words.map((word): [string, Tone] => [word, tone as Tone]),
  ),
);

const STATUS_NAMES: ReadonlySet<string> = new Set([
  ...['status', 'cloudLifecycleState', 'lifecycleState', 'cloudStatus', 'identityState', 'result'],
  ...['stage', 'state', 'completionStatus', 'executionStatus', 'provisioningStatus'],
]);

/** The tone of a status word, in any case and spelling: `IN_PROGRESS` is `in progress`. */
export function toneOf(word: string): Tone {
  return TONES.get(word.toLowerCase().replace(/[^a-z]/g, '')) ?? 'plain';
}

/** True for words that warn of access, such as `2 privileged`, and are no state of something. */
export function isConcern(word: string): boolean {
  return /\b(privileged|dormant)\b/i.test(word);
}

/** True if the values of a field are status words, by the last part of its path. */
export function isStatusField(path: string): boolean {
  return STATUS_NAMES.has(path.split('.').at(-1) ?? path);
}
