import { UsageError } from './usage-error.ts';
import { withoutPassword } from './without-password.ts';

const defaultUrl = 'http://127.0.0.1:4318';

/**
 * Where the detector is that a command asks.
 * @param flag of `--detector`; in its place the environment, and then this host
 * @throws UsageError for what is no http(s) URL, or has credentials in it
 */
export function detectorUrl(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): URL {
  const text = flag ?? (environment.TURNWATCH_DETECTOR_URL || environment.TURNWATCH_ENDPOINT || defaultUrl);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `${JSON.stringify(withoutPassword(text))} is no http URL; write it as ${defaultUrl}`,
    );
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      `the URL of the detector at ${url.host} must have no credentials in it; a token goes by TURNWATCH_API_TOKEN or --token`,
    );
  return url;
}
