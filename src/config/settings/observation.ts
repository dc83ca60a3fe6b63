// Settings of what is observed: metrics, traces, the retention of events, exports of the audit trail.
import {
  byteCount,
  metricsAddress,
  period,
  someText,
  webAddress,
  wholeNumber,
} from './config-values.ts';
import { NUMBER, setting } from './setting.ts';

/** In the order of help texts. */
export const OBSERVATION = {
  metrics: setting(
    'metrics',
    'off',
    'Serves metrics for Prometheus at /metrics: off, on (the port of the API), PORT or ADDRESS:PORT.',
    metricsAddress,
    { value: 'off|on|port' },
  ),
  otlpUrl: setting(
    'otlp-url',
    null,
    'Collector of traces by OTLP over HTTP, such as http://127.0.0.1:4318.',
    webAddress,
    { value: 'url', otherwise: 'no traces' },
  ),
  eventRetention: setting(
    'event-retention',
    'off',
    'Age at which documents of events and account activities are deleted: off, or at least a day, such as 90d or 36h. The audit trail keeps all.',
    period,
    { value: 'period' },
  ),
  auditFile: setting(
    'audit-file',
    null,
    'File to which the audit trail is exported as JSON lines.',
    someText('a file'),
    { value: 'file', otherwise: 'no file' },
  ),
  auditFileSize: setting(
    'audit-file-size',
    '100MiB',
    'Size at which the audit file is rotated.',
    byteCount(1024, 1024 ** 4),
    { value: 'bytes' },
  ),
  auditFiles: setting(
    'audit-files',
    10,
    'Number of rotated audit files to keep.',
    wholeNumber(1, 10_000),
    NUMBER,
  ),
  auditUrl: setting(
    'audit-url',
    null,
    'Collector to which the audit trail is posted as JSON lines, such as https://logs.example.org/audit.',
    webAddress,
    { value: 'url', otherwise: 'no collector' },
  ),
  auditAuthorization: setting(
    'audit-authorization',
    null,
    'Authorization header for the audit collector, such as Bearer and a token.',
    someText('the value of a header'),
    { value: 'text', otherwise: 'no header' },
  ),
};
