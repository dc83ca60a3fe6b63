// Writes docs/openapi.yaml from docs/openapi.source.yaml. `npm run check` and a test compare the two.
//   node dist/scripts/generate-openapi.js
import { writeFileSync } from 'node:fs';
import { currentOpenapiFile, OPENAPI_FILE } from './openapi-document.ts';

writeFileSync(OPENAPI_FILE, currentOpenapiFile());
