import type { RequestHandler } from 'express';

/** For data that no page is to show, frame, guess the type of or keep. A page sets its own policy over these. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('x-frame-options', 'DENY');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('cache-control', 'no-store');
  next();
};
