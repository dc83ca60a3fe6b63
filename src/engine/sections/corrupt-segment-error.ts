// The only error of this folder: bytes that differ from what was written. The owner of the index
// responds with 503 and rebuilds it from the store; corrupt data never leads to a wrong result.
import { ServiceError } from '../../errors.ts';

/** Bytes of a segment or manifest fail their checksum, are truncated, or have another format. */
export class CorruptSegmentError extends ServiceError {
  /** The segment's name, or `manifest`. */
  readonly segment: string;
  /** What is wrong, without the sentence around it. */
  readonly what: string;

  constructor(segment: string, what: string) {
    super('unavailable', `The index is damaged (${segment}: ${what}) and must be rebuilt.`);
    this.segment = segment;
    this.what = what;
  }
}
