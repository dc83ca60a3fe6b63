// The only place that writes to the terminal. Results go to standard output; progress, notes and
// errors go to standard error, so that scripts can separate them.
// Invariant: no value is obeyed by a terminal: controls are escaped in all that is written, but for
// CSV that goes into a pipe or a file.
// Invariant: progress bars are drawn only on a terminal; elsewhere progress is plain lines.
import { Presets, SingleBar } from 'cli-progress';
import { escapeLine, escapeLines, PieceEscaper } from '../../json/escaped-text.ts';

/** A stream that a command writes to; tests replace it. */
export interface Output {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  /** Width of the terminal. */
  readonly columns?: number;
}

/** Shows the progress of a long operation. */
export interface Progress {
  /**
   * @param done amount done of the total; shown as a count if there is no total
   * @param count number of items, if `done` counts something else (bytes)
   */
  update(done: number, count?: number): void;
  end(): void;
}

const DEFAULT_WIDTH = 80;

export class Terminal {
  readonly #out: Output;
  readonly #err: Output;
  readonly #now: () => number;
  readonly #cells = new PieceEscaper('csv');
  readonly #json = new PieceEscaper('lines');

  constructor(out: Output, err: Output, now: () => number) {
    this.#out = out;
    this.#err = err;
    this.#now = now;
  }

  /** True if results go to a terminal and not into a file or log. */
  get isWatched(): boolean {
    return this.#out.isTTY === true;
  }

  /** True if progress is drawn on a terminal. */
  get drawsProgress(): boolean {
    return this.#err.isTTY === true;
  }

  /** Characters of a line of the terminal. */
  get width(): number {
    return this.#out.columns ?? DEFAULT_WIDTH;
  }

  /** Prints a line of the result; a line break in it is that of a value, and escaped. */
  print(line = ''): void {
    this.#out.write(`${escapeLine(line)}\n`);
  }

  /** Prints the result as one line of JSON. */
  printJson(value: unknown): void {
    this.#out.write(`${escapeLines(JSON.stringify(value))}\n`);
  }

  /** Prints a note to standard error; a line break in it is that of a value, and escaped. */
  note(line = ''): void {
    this.#err.write(`${escapeLine(line)}\n`);
  }

  /** Prints text with its own line breaks, in pieces. */
  readonly raw = {
    /** Help and scripts. */
    out: (text: string): void => {
      this.#out.write(escapeLines(text));
    },
    /** CSV: unchanged, unless it goes to a terminal. */
    csv: (piece: string | Uint8Array): void => {
      this.#out.write(this.isWatched ? this.#cells.escape(piece) : piece);
    },
    json: (piece: string | Uint8Array): void => {
      this.#out.write(this.#json.escape(piece));
    },
    err: (text: string): void => {
      this.#err.write(escapeLines(text));
    },
  };

  /**
   * Starts to show the progress of a long operation.
   * @param total null if unknown
   * @param unit the unit of the count, e.g. `documents`
   */
  progress(label: string, total: number | null, unit: string): Progress {
    return this.#err.isTTY === true && total !== null && total > 0
      ? new Bar(this.#err, this.#now, escapeLine(label), total, unit)
      : new Lines(this, this.#now, label, total, unit);
  }
}

/** The frames of a stack, whose first lines are the message, however many lines that has. */
export function framesOf(stack: string | undefined): readonly string[] {
  return (stack ?? '').split('\n').filter((line) => /^ +at /.test(line));
}

/** Formats `1234567` as `1,234,567`. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats seconds as `42s`, `3m 20s`, `2h 05m`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}s`;
  const padded = (part: number): string => String(part).padStart(2, '0');
  return whole < 3600
    ? `${Math.floor(whole / 60)}m ${padded(whole % 60)}s`
    : `${Math.floor(whole / 3600)}h ${padded(Math.floor((whole % 3600) / 60))}m`;
}

/** Elapsed and remaining time of an operation. */
class Pace {
  readonly #now: () => number;
  readonly #began: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#began = now();
  }

  /** Elapsed seconds, at least a millisecond. */
  seconds(): number {
    return Math.max(1, this.#now() - this.#began) / 1000;
  }

  left(done: number, total: number): string {
    return done === 0 ? '?' : duration((this.seconds() * (total - done)) / done);
  }
}

class Bar implements Progress {
  readonly #pace: Pace;
  readonly #bar: SingleBar;
  readonly #total: number;

  constructor(err: Output, now: () => number, label: string, total: number, unit: string) {
    this.#pace = new Pace(now);
    this.#total = total;
    this.#bar = new SingleBar(
      {
        stream: err as NodeJS.WritableStream,
        format: `${label} {bar} {percentage}% | {count} ${unit} | {rate}/s | {left} left`,
        hideCursor: true,
        stopOnComplete: false,
        gracefulExit: false,
        barsize: 30,
      },
      Presets.shades_classic,
    );
    this.#bar.start(total, 0, { count: '0', rate: '0', left: '?' });
  }

  update(done: number, count = done): void {
    this.#bar.update(Math.min(done, this.#total), {
      count: grouped(count),
      rate: grouped(count / this.#pace.seconds()),
      left: this.#pace.left(done, this.#total),
    });
  }

  end(): void {
    this.#bar.stop();
  }
}

/** Seconds between progress lines outside a terminal. */
const LINE_SECONDS = 5;

class Lines implements Progress {
  readonly #terminal: Terminal;
  readonly #pace: Pace;
  readonly #label: string;
  readonly #total: number | null;
  readonly #unit: string;
  #next = LINE_SECONDS;

  constructor(
    terminal: Terminal,
    now: () => number,
    label: string,
    total: number | null,
    unit: string,
  ) {
    this.#terminal = terminal;
    this.#pace = new Pace(now);
    this.#label = label;
    this.#total = total;
    this.#unit = unit;
  }

  update(done: number, count = done): void {
    const seconds = this.#pace.seconds();
    if (seconds < this.#next) return;
    this.#next = seconds + LINE_SECONDS;
    const parts = [`${grouped(count)} ${this.#unit}`, `${grouped(count / seconds)}/s`];
    if (this.#total !== null && this.#total > 0) {
      parts.push(`${Math.floor((100 * done) / this.#total)}%`);
      parts.push(`${this.#pace.left(done, this.#total)} left`);
    }
    this.#terminal.note(`${this.#label}: ${parts.join(', ')}`);
  }

  end(): void {
    // Plain lines need no cleanup.
  }
}
