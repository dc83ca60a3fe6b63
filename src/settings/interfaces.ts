// Settings of the pages and interfaces beside the API, and of profile management.
import { oneOf, onOff, wholeNumber, zoneName } from '../config-values.ts';
import { ANY, NUMBER, setting } from './setting.ts';

/** In the order of help texts. */
export const INTERFACES = {
  documentation: setting('documentation', 'on', 'Serves the API documentation at /docs.', onOff, {
    value: 'on|off',
  }),
  console: setting('console', 'on', 'Serves the web console at /console.', onOff, {
    value: 'on|off',
  }),
  mcp: setting(
    'mcp',
    'off',
    'Serves assistants that speak the Model Context Protocol at /mcp; see docs/assistants.md.',
    onOff,
    { value: 'on|off' },
  ),
  collectionEnvelope: setting(
    'collection-envelope',
    'array',
    'Form of collections of profile management without metadata: array, or keyed as {"users":[…]}.',
    oneOf(['array', 'keyed'] as const),
    { value: 'array|keyed' },
  ),
  profileTimeZone: setting(
    'profile-time-zone',
    'UTC',
    'Time zone of Today in rules about dates: an IANA name or an offset.',
    zoneName,
    { value: 'ZONE' },
  ),
  maxDynamicFields: setting(
    'max-dynamic-fields',
    2000,
    'Most dynamic fields of an index; a document that adds more is refused.',
    wholeNumber(0, 100_000),
    { ...ANY, ...NUMBER },
  ),
};
