/** A route that a page tells people to use. `path` as it stands there, without its query. */
export interface DocumentedRoute {
  readonly method: string;
  readonly path: string;
}

/** Of the detector: model APIs and engines have `/v1/...` as well, and are not written so. */
const named = /\b([A-Z]+(?:\|[A-Z]+)*) (\/(?:v1\/|healthz|readyz|metrics|errors|openapi\.json)[^\s`"?\])]*)/g;
const command = /(?<![\w-])(?:curl|tw) [^\n`]*/g;
const called = /(?:\$TW|:431[89])(\/[^\s"'`?]+)/;

/** The routes of the detector on a Markdown page: those that are named (`GET /v1/turns`), and those that commands call. */
export function routesIn(page: string): DocumentedRoute[] {
  const text = page.replaceAll(/\\\n\s*/g, '');
  const routes: DocumentedRoute[] = [];
  for (const [, methods = '', path = ''] of text.matchAll(named))
    for (const method of methods.split('|'))
      for (const each of alternatives(path)) routes.push({ method, path: each });
  for (const [line] of text.matchAll(command)) {
    const said = line.replace(/\s#.*/, '');
    const path = called.exec(said)?.[1];
    if (path === undefined) continue;
    const sends = /\s(?:-d|--data\S*)\s/.test(said) ? 'POST' : 'GET';
    routes.push({ method: /\s-X (\w+)/.exec(said)?.[1] ?? sends, path });
  }
  return routes;
}

/** Whether a path of a page is one of a template: `/v1/turns/T/close` of `/v1/turns/{id}/close`. */
export function fits(path: string, template: string): boolean {
  const parts = path.split('/');
  const wanted = template.split('/');
  return (
    parts.length === wanted.length &&
    wanted.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
  );
}

/** `/a/{b,c}` is `/a/b` and `/a/c`. */
function alternatives(path: string): string[] {
  const [whole = '', inner = ''] = /\{([^}]*,[^}]*)\}/.exec(path) ?? [];
  return whole === '' ? [path] : inner.split(',').map((each) => path.replace(whole, each));
}
