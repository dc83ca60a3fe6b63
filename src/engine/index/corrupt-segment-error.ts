// The one fault of this folder: bytes that are not what was written. Whoever holds the index answers 503 and
// rebuilds from the store; a wrong answer is never given.
import { ServiceError } from '../../errors.ts';

/** Bytes of a segment or manifest fail their checksum, are cut short or are of another format. */
export class CorruptSegmentError extends ServiceError {
  /** The segment's name, or `manifest`. */
  readonly segment: string;

  constructor(segment: string, what: string) {
    super('unavailable', `The index is damaged (${segment}: ${what}) and must be rebuilt.`);
    this.segment = segment;
  }
}
