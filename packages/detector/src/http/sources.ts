import type { RequestHandler } from 'express';
import type { Screen } from '../live/screen.ts';

/** `GET /v1/sources`: which processes are heard, how well, and what cannot be seen. */
export function sources(screen: Screen): RequestHandler {
  return (_request, response) => {
    response.setHeader('cache-control', 'no-store').json(screen.sources);
  };
}
