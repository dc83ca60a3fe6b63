// Tracing of a process with a collector: the tracer and its exporter.
import { type ExporterOptions, OtlpExporter } from './otlp-exporter.ts';
import { Tracer } from './tracer.ts';

export class Traces {
  readonly tracer: Tracer;
  readonly #exporter: OtlpExporter;

  constructor(options: ExporterOptions) {
    this.#exporter = new OtlpExporter(options);
    this.tracer = new Tracer((span) => this.#exporter.add(span));
  }

  /** Sends pending spans, for a limited time. */
  close(): Promise<void> {
    return this.#exporter.close();
  }
}
