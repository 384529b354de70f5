import { problemKinds } from '@turnwatch/protocol';
import type { RequestHandler } from 'express';

/** `GET /errors`: where `type` of every problem leads. */
export const errorsPage: RequestHandler = (_request, response) => {
  response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  response.type('text/html').send(page);
};

const page = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Errors of the Turnwatch detector</title>
<h1>Errors of the Turnwatch detector</h1>
${Object.entries(problemKinds)
  .map(
    ([code, { status, title, cause, mend }]) =>
      `<h2 id="${code}">${code}</h2>\n<p>${status}: ${html(title)}.</p>\n<p>${html(cause)}</p>\n<p>${html(mend)}</p>`,
  )
  .join('\n')}
</html>
`;

function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}
