// Builds the browsable API documentation into dist/documentation: the page (documentation/), the files of Swagger UI that it loads, and
// docs/openapi.yaml as YAML and JSON. docs/openapi.yaml uses merge keys and aliases, which not every YAML reader knows; the
// built documents have them resolved.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';

const TARGET = join('dist', 'documentation');
const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

mkdirSync(TARGET, { recursive: true });
for (const name of readdirSync('documentation')) {
  copyFileSync(join('documentation', name), join(TARGET, name));
}
const swaggerUi = dirname(
  createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json'),
);
for (const name of SWAGGER_UI_FILES) {
  copyFileSync(join(swaggerUi, 'static', name), join(TARGET, name));
}
// The document repeats itself by more aliases than the parser accepts by default.
const document = parse(readFileSync(join('docs', 'openapi.yaml'), 'utf8'), {
  merge: true,
  maxAliasCount: -1,
});
writeFileSync(join(TARGET, 'openapi.yaml'), stringify(document, { aliasDuplicateObjects: false }));
writeFileSync(join(TARGET, 'openapi.json'), JSON.stringify(document));
