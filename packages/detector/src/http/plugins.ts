import type { PluginDocument, PluginList } from '@turnwatch/protocol';
import type { RequestHandler } from 'express';

/** `GET /v1/plugins`: how each plugin stands, with its last error. */
export function plugins(status: () => readonly PluginDocument[]): RequestHandler {
  return (_request, response) => {
    const answer: PluginList = { plugins: status() };
    response.setHeader('cache-control', 'no-store').json(answer);
  };
}
