import { type RequestHandler, Router } from 'express';
import { type PageFile, readPageFiles } from './page-files.ts';

/** Nothing from elsewhere, nothing inline, nothing around it: names on the page come from agents. */
const headers: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Asked for anew each time, and answered 304: a new detector has its own page at once.
  'cache-control': 'no-cache',
};

/**
 * `GET /` for browsers, and the files it needs. The page holds no data, so it is served to everybody; what it shows it
 * asks the API for, with the token of whoever looks. Everybody else gets the index of the API at `/`.
 */
export function livePage(): RequestHandler {
  let files: ReadonlyMap<string, PageFile> | undefined;
  const send = (name: string): RequestHandler => {
    return (request, response, next) => {
      files ??= readPageFiles();
      const file = files.get(name);
      if (file === undefined) {
        next();
        return;
      }
      response.set({ ...headers, etag: file.etag });
      if (request.headers['if-none-match'] === file.etag) response.status(304).end();
      else response.type(file.type).send(file.body);
    };
  };
  const router = Router();
  router.get('/', (request, response, next) => {
    response.vary('Accept');
    // curl takes anything, and is told what there is to ask for.
    if (request.accepts('text/plain', 'text/html') === 'text/html')
      send('index.html')(request, response, next);
    else next();
  });
  router.get('/page/:file', (request, response, next) =>
    send(String(request.params.file))(request, response, next),
  );
  return router;
}
