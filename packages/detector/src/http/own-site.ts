import type { Request, RequestHandler } from 'express';
import { knownNames, type NamesConfig } from './known-names.ts';
import { isLoopbackHost } from './loopback.ts';
import { sendProblem } from './problem.ts';

/**
 * Lets through what is addressed to the detector by a name of its own, and of browsers only what its own pages send. A
 * proxy may rewrite Host, so an Origin under a name that is configured is its own too.
 *
 * @param names as they hold now: a reload gives another object, and then its names are known
 */
export function ownSiteOnly(names: () => NamesConfig): RequestHandler {
  let site = siteOf(names());
  return (request, response, next) => {
    const config = names();
    if (config !== site.config) site = siteOf(config);
    const { knows, isConfigured, mend } = site;
    const host = nameOf(`http://${request.headers.host ?? ''}`);
    if (!knows(host)) {
      sendProblem(response, {
        code: 'TURNWATCH_ERR_FOREIGN_HOST',
        detail:
          `The detector does not go by the name ${JSON.stringify(host.slice(0, 100))}; ${mend} add the name to ` +
          'detector.listen.allowedHosts (TURNWATCH_LISTEN_ALLOWED_HOSTS), or set detector.listen.publicUrl.',
      });
      return;
    }
    const { origin } = request.headers;
    const own =
      origin === undefined
        ? !fromElsewhere(request)
        : originHost(origin) === request.headers.host?.toLowerCase() ||
          (!isLoopbackHost(nameOf(origin)) && isConfigured(nameOf(origin)));
    if (!own) {
      sendProblem(response, {
        code: 'TURNWATCH_ERR_FOREIGN_ORIGIN',
        detail:
          'A page of another site sent this. If it is the detector’s own page behind a proxy, add the name of that site to ' +
          'detector.listen.allowedHosts (TURNWATCH_LISTEN_ALLOWED_HOSTS), or set detector.listen.publicUrl.',
      });
      return;
    }
    next();
  };
}

interface Site {
  readonly config: NamesConfig;
  readonly knows: (name: string) => boolean;
  /** By name, not for what listens on every address. */
  readonly isConfigured: (name: string) => boolean;
  readonly mend: string;
}

function siteOf(config: NamesConfig): Site {
  return {
    config,
    knows: knownNames(config),
    isConfigured: knownNames({ ...config, host: '127.0.0.1' }),
    mend: isLoopbackHost(config.host)
      ? 'address it as 127.0.0.1 or localhost, or'
      : 'address it by its IP address, or',
  };
}

/** A browser says that another site asks, and not by a link that a person followed. */
function fromElsewhere({ method, headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== 'cross-site' && site !== 'same-site') return false;
  return !(
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** As Host says it: without a port that goes without saying. */
function originHost(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}
