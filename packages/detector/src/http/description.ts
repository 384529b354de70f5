import { openApi } from '@turnwatch/protocol';
import type { RequestHandler } from 'express';
import { version } from '../version.ts';

/** `GET /openapi.json`. Made when it is first asked for: most detectors never are. */
export function description(): RequestHandler {
  let text: string | undefined;
  return (_request, response) => {
    text ??= JSON.stringify(openApi({ version }));
    response.type('application/json').send(text);
  };
}
