// Builds the browsable API documentation into dist/documentation: the page (documentation/), the files of Swagger UI that it loads, and
// the OpenAPI document as YAML and JSON.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { currentOpenapiFile } from './openapi-document.ts';

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
const text = currentOpenapiFile();
writeFileSync(join(TARGET, 'openapi.yaml'), text);
writeFileSync(join(TARGET, 'openapi.json'), JSON.stringify(parse(text)));
