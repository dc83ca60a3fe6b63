// Shows the OpenAPI document beside this page: each operation once, in closed groups, with a filter. An authorization with a
// client id and secret serves the token endpoint, too.

/** As the generator of the document ends the `operationId` at the second path of an operation. */
const TWIN = /V1$/;
/** The schemas of bodies that are forms. */
const FORMS = ['TokenRequest', 'TokenQuestion'];
/** Longer answers are shown without colours, which take a second for each hundred thousand characters. */
const COLOURED_MAX = 50_000;
/** Shorter texts match too much to open groups for. */
const FILTER_MIN = 2;

/** Swagger UI fills a form with a made-up text for each property that has no default. */
function withoutMadeUpTexts(name, schema) {
  const { properties } = schema;
  if (!FORMS.includes(name)) return [name, schema];
  const empty = Object.entries(properties).map(([member, rules]) => [
    member,
    rules.examples === undefined ? { ...rules, default: '' } : rules,
  ]);
  return [name, { ...schema, properties: Object.fromEntries(empty) }];
}

/** The document without second paths of the same operation, and with the prefix of the server that a path has of its own. */
function shownDocument(text) {
  const { paths, components, ...members } = JSON.parse(text);
  const once = Object.entries(paths).filter(
    ([, item]) => !Object.values(item).some(({ operationId }) => TWIN.test(operationId ?? '')),
  );
  const shown = once.map(([path, item]) => {
    const [server] = item.servers ?? [];
    if (server === undefined) return [path, item];
    return [server.url.replace(/\/$/, '') + path, { ...item, servers: [{ url: '/' }] }];
  });
  const schemas = Object.entries(components.schemas).map((entry) => withoutMadeUpTexts(...entry));
  return JSON.stringify({
    ...members,
    paths: Object.fromEntries(shown),
    components: { ...components, schemas: Object.fromEntries(schemas) },
  });
}

/** Keeps the operations whose group, method, path, summary or operationId contain each word, and groups with such operations. */
function opsFilter(groups, phrase) {
  const words = phrase.toLowerCase().split(/\s+/);
  return groups
    .map((group, tag) =>
      group.update('operations', (operations) =>
        operations.filter((entry) => {
          const named = ['summary', 'operationId'].map((name) => entry.getIn(['operation', name]));
          const text = [tag, entry.get('method'), entry.get('path'), ...named]
            .join(' ')
            .toLowerCase();
          return words.every((word) => text.includes(word));
        }),
      ),
    )
    .filter((group) => group.get('operations').size > 0);
}

/** Leaves out the empty values of a form. */
function withoutEmptyValues(request) {
  const { body, headers = {} } = request;
  if (typeof body === 'string' && headers['Content-Type'] === 'application/x-www-form-urlencoded') {
    request.body = body
      .split('&')
      .filter((pair) => !pair.endsWith('='))
      .join('&');
  }
  return request;
}

function isFiltered(layout) {
  const filter = layout.get('filter');
  return typeof filter === 'string' && filter.length >= FILTER_MIN;
}

function pagePlugin({ React, Im }) {
  return {
    fn: { opsFilter },
    components: {
      FilterContainer: ({ layoutSelectors, layoutActions }) => {
        const filter = layoutSelectors.currentFilter();
        return React.createElement('input', {
          ...{ className: 'filter', type: 'search' },
          ...{ 'aria-label': 'Filter operations', placeholder: 'Filter by path, summary or group' },
          value: typeof filter === 'string' ? filter : '',
          onChange: ({ target }) => layoutActions.updateFilter(target.value),
        });
      },
    },
    wrapComponents: {
      SyntaxHighlighter: (Original) => (props) =>
        props.children?.length > COLOURED_MAX
          ? React.createElement('pre', { className: 'microlight' }, props.children)
          : React.createElement(Original, props),
    },
    statePlugins: {
      layout: {
        selectors: {
          // A group with matches is open unless it was closed by hand. Replaced, since a wrapped selector takes seconds here.
          isShown: (state, thing, open) => {
            const path = Array.isArray(thing) ? thing : [thing];
            const byDefault = open || (path[0] === 'operations-tag' && isFiltered(state));
            return state.get('shown', Im.Map()).get(Im.fromJS(path), byDefault);
          },
        },
      },
      spec: {
        wrapActions: {
          updateSpec: (original) => (text) => original(text && shownDocument(text)),
        },
      },
      auth: {
        wrapActions: {
          authorizeOauth2: (original, system) => (payload) => {
            const { clientId: username, clientSecret: password } = payload.auth;
            const schema = system.specSelectors.securityDefinitions().get('basic');
            system.authActions.authorize({
              basic: { name: 'basic', schema, value: { username, password } },
            });
            return original(payload);
          },
        },
      },
    },
  };
}

SwaggerUIBundle({
  url: new URL('openapi.json', location.href).href,
  dom_id: '#page',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'none',
  filter: true,
  plugins: [pagePlugin],
  requestInterceptor: withoutEmptyValues,
  tryItOutEnabled: true,
  validatorUrl: null,
});
